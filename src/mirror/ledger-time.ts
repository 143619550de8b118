import type { Moment } from '../lib/clock.ts'
import { clockErrorMs } from './clock-error.ts'

export interface LedgerReach {
  /**
   * The later of two estimates of the ledger's time: the latest time that the daemon's clock has
   * shown, and an estimate from learnt record times. In milliseconds since 1970.
   * An entry that expires before this time does not count as unexpired.
   */
  readonly reached: number
  /**
   * A time that the ledger has surely reached, in milliseconds since 1970. An entry that expires
   * before this time has surely expired.
   */
  readonly confirmed: number
}

/**
 * Tracks the time that the ledger has reached. The time never goes back, so an expired entry stays
 * expired even if the clock is set back.
 */
export class LedgerTime {
  #latestWall = Number.NEGATIVE_INFINITY
  /**
   * The largest `recordTime - asked` of all calls of `learn`. Added to `Clock.now()`, it gives an
   * estimate of the ledger's time, which may be too late by the duration of a request.
   */
  #mostAhead = Number.NEGATIVE_INFINITY
  /**
   * The largest `recordTime - heard` of all calls of `learn`. Added to `Clock.now()`, it gives a
   * time that the ledger has surely reached.
   */
  #leastAhead = Number.NEGATIVE_INFINITY
  #isTrusted = false

  /**
   * False until scans have said how far the ledger has come. Until then the time of a slow clock may
   * be hours before that of the ledger.
   */
  get isTrusted(): boolean {
    return this.#isTrusted
  }

  learnHead(recordTime: number, asked: number, heard: number): void {
    this.learn(recordTime, asked, heard)
    this.#isTrusted = true
  }

  /**
   * Trusts the daemon's clock because scans do not say how far the ledger has come, unless that clock
   * is behind a time that the ledger has surely reached.
   */
  trustClock({ now, wall }: Moment): void {
    if (wall >= now + this.#leastAhead) this.#isTrusted = true
  }

  /**
   * @param recordTime a record time of the ledger, in milliseconds since 1970, that enough super
   * validators confirmed.
   * @param asked the value of `Clock.now()` before super validators were asked.
   * @param heard the value of `Clock.now()` after they had replied.
   */
  learn(recordTime: number, asked: number, heard = asked): void {
    this.#mostAhead = Math.max(this.#mostAhead, recordTime - asked)
    this.#leastAhead = Math.max(this.#leastAhead, recordTime - heard)
  }

  reach({ now, wall }: Moment): LedgerReach {
    if (wall > this.#latestWall) this.#latestWall = wall
    return { reached: Math.max(this.#latestWall, now + this.#mostAhead), confirmed: now + this.#leastAhead }
  }

  /**
   * If the daemon's clock was set back by more than `clockErrorMs`, returns the latest time that
   * the clock had shown: milliseconds since 1970.
   */
  setBackFrom({ now, wall }: Moment): number | undefined {
    const present = Math.max(wall, now + this.#mostAhead)
    return this.#latestWall - present > clockErrorMs ? this.#latestWall : undefined
  }

  reached(moment: Moment): number {
    return this.reach(moment).reached
  }
}
