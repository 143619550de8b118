import type { Moment } from '../lib/clock.ts'

/**
 * The progress of the ledger. An own clock that is fast makes the two times differ. Both are milliseconds since 1970.
 */
export interface LedgerReach {
  /** The later one of the own clock and of what super validators confirm. What expires before it is not served. */
  readonly reached: number
  /** The time that super validators confirm. What expires before it is surely absent. */
  readonly confirmed: number
}

/**
 * Knows the time that the ledger has reached, by the own clock and by what super validators confirm. It never goes
 * back: a clock that is slow or set back revives no expired entry.
 */
export class LedgerTime {
  #latestWall = Number.NEGATIVE_INFINITY
  /** A record time minus the value of `Clock.now()` at which it was learnt. */
  #ahead = Number.NEGATIVE_INFINITY

  /**
   * Learns that the ledger had reached a record time.
   * @param recordTime milliseconds since 1970, as enough super validators confirm it.
   * @param now `Clock.now()` when they did.
   */
  learn(recordTime: number, now: number): void {
    this.#ahead = Math.max(this.#ahead, recordTime - now)
  }

  /** Returns the progress of the ledger. A time that was learnt goes on by the monotonic clock. */
  reach({ now, wall }: Moment): LedgerReach {
    if (wall > this.#latestWall) this.#latestWall = wall
    const confirmed = now + this.#ahead
    return { reached: Math.max(this.#latestWall, confirmed), confirmed }
  }

  /** Returns the later one of the own clock and of what super validators confirm. */
  reached(moment: Moment): number {
    return this.reach(moment).reached
  }
}
