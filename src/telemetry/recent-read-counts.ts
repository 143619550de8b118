import type { Clock } from '../lib/clock.ts'

/** Reads that were answered from a cache are not counted. */
export interface ReadCounts {
  readonly minutes: number
  readonly settled: number
  readonly notAgreed: number
}

interface ReadMinute {
  number: number
  settled: number
  notAgreed: number
}

const minutes = 5
const minuteMs = 60_000

export class RecentReadCounts {
  readonly #clock: Pick<Clock, 'now'>
  readonly #ring: ReadMinute[] = []
  #lastAgreed: number | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  settled(isAgreed: boolean): void {
    const number = this.#now()
    const slot = number % minutes
    let minute = this.#ring[slot]
    if (minute?.number !== number) {
      minute = { number, settled: 0, notAgreed: 0 }
      this.#ring[slot] = minute
    }
    minute.settled++
    if (isAgreed) this.#lastAgreed = this.#clock.now()
    else minute.notAgreed++
  }

  /** Returns the time since super validators last agreed on a read; undefined if they never did. */
  agreedAgoMs(): number | undefined {
    return this.#lastAgreed === undefined ? undefined : this.#clock.now() - this.#lastAgreed
  }

  counts(): ReadCounts {
    const first = this.#now() - minutes + 1
    const recent = this.#ring.filter((minute) => minute !== undefined && minute.number >= first)
    return {
      minutes,
      settled: recent.reduce((sum, minute) => sum + minute.settled, 0),
      notAgreed: recent.reduce((sum, minute) => sum + minute.notAgreed, 0),
    }
  }

  #now(): number {
    return Math.floor(this.#clock.now() / minuteMs)
  }
}
