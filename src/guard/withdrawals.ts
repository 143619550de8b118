import { LRUCache } from 'lru-cache'
import type { Sighting } from './floor.ts'

/** Milliseconds that must lie between the two statements that end a floor. */
export const withdrawalMs = 10_000
/** The most questions whose first statement is remembered while the second is awaited. */
const mostPending = 10_000

interface FirstStatement {
  readonly version: string
  readonly at: number
}

/** The version of an absence. It sorts before every other version. */
const absent = ''

/**
 * Decides whether a floor ends early, before its value does. It does if all super validators but f have stated
 * something older twice, at least ten seconds apart (quorum.md#never-back).
 */
export class Withdrawals {
  readonly #first = new LRUCache<string, FirstStatement>({ max: mostPending })

  /**
   * Records that all super validators but f gave an answer below the floor.
   * @param at milliseconds on a monotonic clock.
   * @returns true if this is the second such statement, so that the floor ends.
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
    if (this.#first.size > 0) this.#first.delete(key)
  }
}
