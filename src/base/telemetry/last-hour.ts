import type { Clock } from '../lib/clock.ts'
import { type AskOutcome, isFault, labelValues, type VoteLabel } from './label-values.ts'

export type Votes = Readonly<Record<VoteLabel, number>>

export interface Hour {
  readonly votes: Votes
  readonly minutes: readonly Votes[]
  /** The number of requests that ended without a fault, probes included. */
  readonly answered: number
  readonly meanSeconds: number | undefined
  readonly slowestSeconds: number | undefined
}

interface VoteMinute {
  readonly votes: Record<VoteLabel, number>
  answered: number
  seconds: number
  slowestSeconds: number
}

export class LastHour {
  readonly #clock: Pick<Clock, 'now'>
  readonly #minutes = new Map<string, Minutes<VoteMinute>>()
  readonly reads: RecentReadCounts

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.reads = new RecentReadCounts(clock)
  }

  keep(superValidators: Iterable<string>): void {
    const names = new Set(superValidators)
    for (const name of this.#minutes.keys()) if (!names.has(name)) this.#minutes.delete(name)
    for (const name of names)
      if (!this.#minutes.has(name)) this.#minutes.set(name, new Minutes(this.#clock, 60, emptyMinute))
  }

  forget(): void {
    const names = [...this.#minutes.keys()]
    this.#minutes.clear()
    this.keep(names)
  }

  /** A vote of more than an hour ago is not counted. */
  voted(sv: string, vote: VoteLabel, agoMs = 0): void {
    const minute = this.#minutes.get(sv)?.at(agoMs)
    if (minute !== undefined) minute.votes[vote]++
  }

  asked(sv: string, outcome: AskOutcome, seconds: number): void {
    const minute = isFault(outcome) ? undefined : this.#minutes.get(sv)?.at()
    if (minute === undefined) return
    minute.answered++
    minute.seconds += seconds
    if (seconds > minute.slowestSeconds) minute.slowestSeconds = seconds
  }

  of(sv: string): Hour {
    const kept = this.#minutes.get(sv)?.last() ?? Array.from({ length: 60 })
    const counted = kept.map((minute) => minute ?? emptyMinute())
    const answered = sum(counted, (minute) => minute.answered)
    return {
      votes: Object.fromEntries(
        labelValues.vote.map((vote) => [vote, sum(counted, (minute) => minute.votes[vote])]),
      ) as Votes,
      minutes: counted.map((minute) => ({ ...minute.votes })),
      answered,
      meanSeconds: answered === 0 ? undefined : sum(counted, (minute) => minute.seconds) / answered,
      slowestSeconds:
        answered === 0 ? undefined : Math.max(...counted.map((minute) => minute.slowestSeconds)),
    }
  }
}

function emptyMinute(): VoteMinute {
  const none = Object.fromEntries(labelValues.vote.map((vote) => [vote, 0])) as Record<VoteLabel, number>
  return { votes: none, answered: 0, seconds: 0, slowestSeconds: 0 }
}

function sum(counted: readonly VoteMinute[], of: (minute: VoteMinute) => number): number {
  return counted.reduce((total, minute) => total + of(minute), 0)
}

/** Reads that were answered from a cache are not counted. */
export interface ReadCounts {
  readonly minutes: number
  readonly settled: number
  readonly notAgreed: number
}

const recentMinutes = 5

class RecentReadCounts {
  readonly #clock: Pick<Clock, 'now'>
  readonly #minutes: Minutes<{ settled: number; notAgreed: number }>
  #lastAgreed: number | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.#minutes = new Minutes(clock, recentMinutes, () => ({ settled: 0, notAgreed: 0 }))
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
      minutes: recentMinutes,
      settled: recent.reduce((sum, minute) => sum + (minute?.settled ?? 0), 0),
      notAgreed: recent.reduce((sum, minute) => sum + (minute?.notAgreed ?? 0), 0),
    }
  }
}

const minuteMs = 60_000

/** One value for each of the last minutes, made when the minute first needs one. */
export class Minutes<T> {
  readonly #clock: Pick<Clock, 'now'>
  readonly #most: number
  readonly #make: () => T
  readonly #values = new Map<number, T>()

  constructor(clock: Pick<Clock, 'now'>, most: number, make: () => T) {
    this.#clock = clock
    this.#most = most
    this.#make = make
  }

  /** Undefined for a time before the last minutes. */
  at(agoMs = 0): T | undefined {
    const now = this.#clock.now()
    const number = minuteOf(now - agoMs)
    const known = this.#values.get(number)
    if (known !== undefined) return known
    const first = this.#firstAt(now)
    if (number < first) return undefined
    for (const old of this.#values.keys()) if (old < first) this.#values.delete(old)
    const made = this.#make()
    this.#values.set(number, made)
    return made
  }

  /** The oldest minute comes first, and the current one last. */
  last(): readonly (T | undefined)[] {
    const first = this.#firstAt(this.#clock.now())
    return Array.from({ length: this.#most }, (_, index) => this.#values.get(first + index))
  }

  #firstAt(now: number): number {
    return minuteOf(now) - this.#most + 1
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / minuteMs)
}
