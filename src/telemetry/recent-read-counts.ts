import type { Clock } from '../lib/clock.ts'
import { Minutes } from './minutes.ts'

/** Reads that were answered from a cache are not counted. */
export interface ReadCounts {
  readonly minutes: number
  readonly settled: number
  readonly notAgreed: number
}

const minutes = 5

export class RecentReadCounts {
  readonly #clock: Pick<Clock, 'now'>
  readonly #minutes: Minutes<{ settled: number; notAgreed: number }>
  #lastAgreed: number | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#minutes = new Minutes(clock, minutes, () => ({ settled: 0, notAgreed: 0 }))
  }

  settled(isAgreed: boolean): void {
    const minute = this.#minutes.at()
    if (minute === undefined) return
    minute.settled++
    if (isAgreed) this.#lastAgreed = this.#clock.now()
    else minute.notAgreed++
  }

  /** Returns the time since super validators last agreed on a read; undefined if they never did. */
  agreedAgoMs(): number | undefined {
    return this.#lastAgreed === undefined ? undefined : this.#clock.now() - this.#lastAgreed
  }

  counts(): ReadCounts {
    const recent = this.#minutes.last()
    return {
      minutes,
      settled: recent.reduce((sum, minute) => sum + (minute?.settled ?? 0), 0),
      notAgreed: recent.reduce((sum, minute) => sum + (minute?.notAgreed ?? 0), 0),
    }
  }
}
