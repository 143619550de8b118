import { LRUCache } from 'lru-cache'
import type { Sighting } from './floor.ts'

/** The time between the two statements that end a floor, in milliseconds. */
export const withdrawalMs = 10_000
/** The most questions with a first statement. */
const mostPending = 10_000

interface FirstStatement {
  readonly version: string
  readonly at: number
}

/** Sorts before every version: an absence is as old as can be. */
const absent = ''

/**
 * Finds out when a floor has to end although its time is not over: all super validators but f said twice, ten seconds
 * apart, something older (quorum.md#never-back).
 */
export class Withdrawals {
  readonly #first = new LRUCache<string, FirstStatement>({ max: mostPending })

  /**
   * Records that all but f gave an answer below the floor.
   * @param at milliseconds on a monotonic clock.
   * @returns whether this is the second time, so that the floor ends.
   */
  stated(key: string, sighting: Sighting, at: number): boolean {
    const version = sighting.kind === 'absence' ? absent : (sighting.version ?? absent)
    const first = this.#first.get(key)
    // An answer that is still older than the first one is another statement, and starts anew.
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
    this.#first.delete(key)
  }
}
