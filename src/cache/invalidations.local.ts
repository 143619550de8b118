import type { Clock } from '../lib/clock.ts'
import { InvalidationLog } from './invalidation-log.ts'
import type { InvalidationPoint, Invalidations } from './invalidations.ts'

export class LocalInvalidations implements Invalidations {
  readonly #log: InvalidationLog

  constructor(clock: Clock) {
    this.#log = new InvalidationLog(clock)
  }

  get current(): InvalidationPoint {
    return this.#log.current
  }

  isCurrent(key: string, point: InvalidationPoint): boolean {
    return this.#log.isCurrent(key, point)
  }

  localPointOf(key: string, position: string): InvalidationPoint | undefined {
    return this.#log.localPointOf(key, position)
  }

  withholdsAbsence(key: string): boolean {
    return this.#log.withholdsAbsence(key)
  }

  invalidate(topics: readonly string[]): void {
    this.#log.invalidateHere(topics)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
