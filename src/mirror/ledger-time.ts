import type { Moment } from '../lib/clock.ts'

/**
 * Two estimates of the time that the ledger has reached, in milliseconds since 1970. `confirmed` is the
 * careful estimate for the decision that an entry has expired, and `reached` for the decision that it has
 * not.
 */
export interface LedgerReach {
  /**
   * The later of two times: the latest time that the daemon's clock has shown, and the latest time that the
   * ledger may have reached according to super validators. The mirror does not answer with an entry that
   * expires before this time.
   */
  readonly reached: number
  /**
   * A time that the ledger has reached according to super validators. An entry that expires before this time
   * has surely expired.
   */
  readonly confirmed: number
}

/**
 * Tracks the time that the ledger has reached, by the daemon's clock and by the record times that super
 * validators confirm. This time never goes back, so an expired entry stays expired even if the clock is slow
 * or set back.
 */
export class LedgerTime {
  #latestWall = Number.NEGATIVE_INFINITY
  /**
   * The largest `recordTime - asked` of all calls of `learn`: how far the ledger's time may be ahead of
   * `Clock.now()`.
   */
  #mostAhead = Number.NEGATIVE_INFINITY
  /**
   * The largest `recordTime - heard` of all calls of `learn`: how far the ledger's time is surely ahead of
   * `Clock.now()`.
   */
  #leastAhead = Number.NEGATIVE_INFINITY

  /**
   * Records that the ledger had reached a record time.
   * @param recordTime milliseconds since 1970. Enough super validators must have confirmed it.
   * @param asked the value of `Clock.now()` before super validators were asked.
   * @param heard the value of `Clock.now()` after they had replied; by default, the value of `asked`.
   */
  learn(recordTime: number, asked: number, heard = asked): void {
    this.#mostAhead = Math.max(this.#mostAhead, recordTime - asked)
    this.#leastAhead = Math.max(this.#leastAhead, recordTime - heard)
  }

  /**
   * Returns the time that the ledger has reached. It assumes that the ledger's time advances with
   * `Clock.now()` after super validators confirmed a record time.
   */
  reach({ now, wall }: Moment): LedgerReach {
    if (wall > this.#latestWall) this.#latestWall = wall
    return { reached: Math.max(this.#latestWall, now + this.#mostAhead), confirmed: now + this.#leastAhead }
  }

  /** Returns `LedgerReach.reached` alone. */
  reached(moment: Moment): number {
    return this.reach(moment).reached
  }
}
