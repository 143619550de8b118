import type { Moment } from '../lib/clock.ts'

/**
 * The latest time that the ledger has surely reached. It never goes back: neither a slow clock of this machine nor one
 * that is set back revives what has expired.
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

  /** Returns the later of the own clock and of what was learnt, which goes on by the monotonic clock. */
  reached({ now, wall }: Moment): number {
    if (wall > this.#latestWall) this.#latestWall = wall
    return Math.max(this.#latestWall, now + this.#ahead)
  }
}
