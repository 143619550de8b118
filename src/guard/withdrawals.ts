import { LRUCache } from 'lru-cache'
import type { Sighting } from './floor.ts'

/** The milliseconds that must pass between the two statements that end a floor. */
export const withdrawalMs = 10_000
/** The maximum number of questions whose first statement is remembered until the second one comes. */
const mostPending = 10_000

interface FirstStatement {
  readonly version: string
  readonly at: number
}

/** Stands for the version of an absence, and of a value without a version. It sorts before every other version. */
const absent = ''

/**
 * Decides whether a floor ends before its value does. It ends when at least n - f super validators have given an answer
 * below the floor for the second time, at least ten seconds after the first time (quorum.md#never-back).
 */
export class Withdrawals {
  readonly #first = new LRUCache<string, FirstStatement>({ max: mostPending })

  /**
   * Records that at least n - f super validators gave an answer below the floor.
   * @param key identifies the question.
   * @param at milliseconds on a monotonic clock.
   * @returns true if the floor ends, because the first such statement was recorded at least `withdrawalMs` before.
   */
  stated(key: string, sighting: Sighting, at: number): boolean {
    const version = sighting.kind === 'absence' ? absent : (sighting.version ?? absent)
    const first = this.#first.get(key)
    // An answer that is even older than the first one does not confirm it. It becomes the first statement instead.
    if (first === undefined || version < first.version) {
      this.#first.set(key, { version, at })
      return false
    }
    if (at - first.at < withdrawalMs) return false
    this.#first.delete(key)
    return true
  }

  /** Forgets the first statement, because an answer reached the floor. */
  contradicted(key: string): void {
    if (this.#first.size > 0) this.#first.delete(key)
  }
}
