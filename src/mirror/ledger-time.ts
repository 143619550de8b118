import type { Moment } from '../lib/clock.ts'
import { clockErrorMs } from './clock-error.ts'

/**
 * Two estimates of the time that the ledger has reached: milliseconds since 1970. `reached` may be too late,
 * so an entry that expires after it is surely unexpired. `confirmed` may be too early, so an entry that
 * expires before it has surely expired.
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
   * The latest time that the ledger may have reached, minus `Clock.now()`. This is the largest value of
   * `recordTime - asked` in all calls of `learn`.
   */
  #mostAhead = Number.NEGATIVE_INFINITY
  /**
   * A time that the ledger has surely reached, minus `Clock.now()`: the largest value of `recordTime - heard`
   * in all calls of `learn`.
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

  /**
   * Returns the latest time that the daemon's clock has shown, if the clock was set back from that time. The
   * time must be more than `clockErrorMs` ahead of the clock, and of the time that the ledger may have
   * reached. Otherwise undefined.
   * @returns milliseconds since 1970.
   */
  setBackFrom({ now, wall }: Moment): number | undefined {
    const present = Math.max(wall, now + this.#mostAhead)
    return this.#latestWall - present > clockErrorMs ? this.#latestWall : undefined
  }

  reached(moment: Moment): number {
    return this.reach(moment).reached
  }
}
