import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'

interface Pause {
  readonly until: number
  readonly ms: number
}

const firstMs = 2_000
const maxMs = 30_000
const maxPauses = 10_000

export class Pauses {
  readonly #clock: Clock
  readonly #pauses = new LRUCache<string, Pause>({ max: maxPauses })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  holds(key: string): boolean {
    const pause = this.#pauses.get(key)
    return pause !== undefined && this.#clock.now() < pause.until
  }

  failed(key: string): void {
    const ms = Math.min(maxMs, (this.#pauses.get(key)?.ms ?? firstMs / 2) * 2)
    this.#pauses.set(key, { until: this.#clock.now() + ms, ms })
  }

  succeeded(key: string): void {
    this.#pauses.delete(key)
  }
}
