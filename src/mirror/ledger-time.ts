import type { Moment } from '../lib/clock.ts'

/**
 * Two estimates of the time that the ledger has reached, in milliseconds since 1970. `confirmed` is the careful one
 * where an entry is said to have expired, and `reached` where an entry is said not to have expired.
 */
export interface LedgerReach {
  /**
   * The latest of the daemon's clock, `confirmed`, and the time that the ledger may have reached beyond `confirmed`.
   * The mirror does not answer with an entry that expires before it.
   */
  readonly reached: number
  /** The time that super validators confirm. An entry that expires before it has surely expired. */
  readonly confirmed: number
}

/**
 * The time that the ledger has reached, by the daemon's clock and by the record times that super validators confirm. It
 * never goes back, so an expired entry stays expired even if the clock is slow or set back.
 */
export class LedgerTime {
  #latestWall = Number.NEGATIVE_INFINITY
  /** The greatest difference between a confirmed record time and the `Clock.now()` before super validators were asked. */
  #mostAhead = Number.NEGATIVE_INFINITY
  /** The greatest difference between a confirmed record time and the `Clock.now()` after super validators had answered. */
  #leastAhead = Number.NEGATIVE_INFINITY

  /**
   * Records that the ledger had reached a record time.
   * @param recordTime milliseconds since 1970. Enough super validators must have confirmed it.
   * @param asked the value of `Clock.now()` before super validators were asked.
   * @param heard the value of `Clock.now()` after they had answered; that of `asked` by default.
   */
  learn(recordTime: number, asked: number, heard = asked): void {
    this.#mostAhead = Math.max(this.#mostAhead, recordTime - asked)
    this.#leastAhead = Math.max(this.#leastAhead, recordTime - heard)
  }

  /**
   * Returns the time that the ledger has reached. From its confirmation on, a record time advances with `Clock.now()`.
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
