import { ageMs, type Moment } from '../base/lib/clock.ts'

/**
 * The largest clock error that the mirror tolerates. Super validators with fast clocks may report
 * an entry as absent this long before it expires. That is no contradiction.
 */
export const clockErrorMs = 60_000

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
   * A time of the ledger and the moment when it was asked for. Plus the age of that moment, it is an
   * estimate of the ledger's time, which may be too late by the duration of a request.
   */
  #head: { readonly at: number; readonly asked: Moment } | undefined
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

  learnHead(recordTime: number, asked: Moment, heard: Moment): void {
    this.#learnConfirmed(recordTime, heard)
    // Steps of the wall clock since the last head do not matter, because this head is measured anew.
    const byNow = this.#head === undefined ? recordTime : this.#head.at + asked.now - this.#head.asked.now
    this.#head = { at: Math.max(recordTime, byNow), asked }
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
   * @param asked the moment before super validators were asked; `heard` after they had replied.
   */
  learn(recordTime: number, asked: Moment, heard = asked): void {
    this.#learnConfirmed(recordTime, heard)
    if (recordTime > this.#estimateAt(asked)) this.#head = { at: recordTime, asked }
  }

  reach(moment: Moment): LedgerReach {
    if (moment.wall > this.#latestWall) this.#latestWall = moment.wall
    return {
      reached: Math.max(this.#latestWall, this.#estimateAt(moment)),
      confirmed: moment.now + this.#leastAhead,
    }
  }

  /**
   * If the daemon's clock was set back by more than `clockErrorMs`, returns the latest time that
   * the clock had shown: milliseconds since 1970.
   */
  setBackFrom(moment: Moment): number | undefined {
    const present = Math.max(moment.wall, this.#estimateAt(moment))
    return this.#latestWall - present > clockErrorMs ? this.#latestWall : undefined
  }

  reached(moment: Moment): number {
    return this.reach(moment).reached
  }

  #estimateAt(moment: Moment): number {
    return this.#head === undefined
      ? Number.NEGATIVE_INFINITY
      : this.#head.at + ageMs(this.#head.asked, moment)
  }

  #learnConfirmed(recordTime: number, { now }: Moment): void {
    this.#leastAhead = Math.max(this.#leastAhead, recordTime - now)
  }
}
