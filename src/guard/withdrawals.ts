import { LRUCache } from 'lru-cache'
import type { Sighting } from './floor.ts'

/**
 * A floor ends early only if at least this many milliseconds pass between the first and the second report of
 * an answer below it.
 */
export const withdrawalMs = 10_000
/** The maximum number of questions for which the first report is remembered until the second one comes. */
const mostPending = 10_000

interface FirstReport {
  readonly version: string
  readonly at: number
}

/**
 * The version to assume for an absence, or for a value without a version. It sorts before every other
 * version.
 */
const absent = ''

/**
 * Decides whether a floor ends early, before its value stops being true. For that, at least n - f super
 * validators must give an answer below the floor twice, at least ten seconds apart (quorum.md#never-back).
 */
export class Withdrawals {
  readonly #first = new LRUCache<string, FirstReport>({ max: mostPending })

  /**
   * Records the report that at least n - f super validators gave an answer below the floor.
   * @param key identifies the question.
   * @param at milliseconds on a monotonic clock.
   * @returns true if the floor ends, because the first such report was recorded at least `withdrawalMs`
   * before.
   */
  stated(key: string, sighting: Sighting, at: number): boolean {
    const version = sighting.kind === 'absence' ? absent : (sighting.version ?? absent)
    const first = this.#first.get(key)
    // An answer older than the one in the first report does not confirm that report, but replaces it.
    if (first === undefined || version < first.version) {
      this.#first.set(key, { version, at })
      return false
    }
    if (at - first.at < withdrawalMs) return false
    this.#first.delete(key)
    return true
  }

  /** Forgets the first report, because an answer reached the floor. */
  contradicted(key: string): void {
    if (this.#first.size > 0) this.#first.delete(key)
  }
}
