import { LRUCache } from 'lru-cache'
import type { Sighting } from './floor.ts'

export const withdrawalMs = 10_000
const mostPending = 10_000

interface FirstReport {
  readonly version: string
  readonly at: number
}

/** An absence, or a value without a version, counts as older than every version. */
const absent = ''

/**
 * Decides whether a floor, the version below which no answer is served, ends early
 * (quorum.md#never-back).
 * The floor ends when at least n - f super validators give an older answer twice, at least ten
 * seconds apart.
 */
export class Withdrawals {
  readonly #first = new LRUCache<string, FirstReport>({ max: mostPending })

  /**
   * Records that at least n - f super validators gave an answer below the floor.
   * @param at milliseconds on a monotonic clock.
   * @returns true if the floor ends, because the first such report came at least `withdrawalMs`
   * before.
   */
  reportBelowFloor(key: string, sighting: Sighting, at: number): boolean {
    const version = sighting.kind === 'absence' ? absent : (sighting.version ?? absent)
    const first = this.#first.get(key)
    // An answer that is older than the reported one does not confirm the report, but replaces it.
    if (first === undefined || version < first.version) {
      this.#first.set(key, { version, at })
      return false
    }
    if (at - first.at < withdrawalMs) return false
    this.#first.delete(key)
    return true
  }

  forgetReport(key: string): void {
    if (this.#first.size > 0) this.#first.delete(key)
  }
}
