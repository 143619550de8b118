import type { Clock } from '../lib/clock.ts'
import { type AskOutcome, isFault, type VoteLabel, votes } from './label-values.ts'
import { RecentReadCounts } from './recent-read-counts.ts'

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
  number: number
  votes: Record<VoteLabel, number>
  answered: number
  seconds: number
  slowestSeconds: number
}

const minutes = 60
const minuteMs = 60_000

export class LastHour {
  readonly #clock: Pick<Clock, 'now'>
  readonly #rings = new Map<string, VoteMinute[]>()
  readonly reads: RecentReadCounts

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.reads = new RecentReadCounts(clock)
  }

  keep(superValidators: Iterable<string>): void {
    const names = new Set(superValidators)
    for (const name of this.#rings.keys()) if (!names.has(name)) this.#rings.delete(name)
    for (const name of names) if (!this.#rings.has(name)) this.#rings.set(name, [])
  }

  /** A vote of more than an hour ago is not counted. */
  voted(sv: string, vote: VoteLabel, agoMs = 0): void {
    const minute = this.#minuteOf(sv, agoMs)
    if (minute !== undefined) minute.votes[vote]++
  }

  asked(sv: string, outcome: AskOutcome, seconds: number): void {
    if (isFault(outcome)) return
    const minute = this.#minuteOf(sv)
    if (minute === undefined) return
    minute.answered++
    minute.seconds += seconds
    if (seconds > minute.slowestSeconds) minute.slowestSeconds = seconds
  }

  of(sv: string): Hour {
    const now = this.#now()
    const ring = this.#rings.get(sv) ?? []
    const counted = Array.from({ length: minutes }, (_, index) => {
      const number = now - minutes + 1 + index
      const minute = ring[slotOf(number)]
      return minute?.number === number ? minute : emptyMinute(number)
    })
    const answered = sum(counted, (minute) => minute.answered)
    return {
      votes: Object.fromEntries(
        votes.map((vote) => [vote, sum(counted, (minute) => minute.votes[vote])]),
      ) as Votes,
      minutes: counted.map((minute) => ({ ...minute.votes })),
      answered,
      meanSeconds: answered === 0 ? undefined : sum(counted, (minute) => minute.seconds) / answered,
      slowestSeconds:
        answered === 0 ? undefined : Math.max(...counted.map((minute) => minute.slowestSeconds)),
    }
  }

  #minuteOf(sv: string, agoMs = 0): VoteMinute | undefined {
    const ring = this.#rings.get(sv)
    if (ring === undefined) return undefined
    const number = Math.floor((this.#clock.now() - agoMs) / minuteMs)
    const known = ring[slotOf(number)]
    if (known?.number === number) return known
    if (known !== undefined && known.number > number) return undefined
    const minute = emptyMinute(number)
    ring[slotOf(number)] = minute
    return minute
  }

  #now(): number {
    return Math.floor(this.#clock.now() / minuteMs)
  }
}

function slotOf(number: number): number {
  return ((number % minutes) + minutes) % minutes
}

function emptyMinute(number: number): VoteMinute {
  const none = Object.fromEntries(votes.map((vote) => [vote, 0])) as Record<VoteLabel, number>
  return { number, votes: none, answered: 0, seconds: 0, slowestSeconds: 0 }
}

function sum(counted: readonly VoteMinute[], of: (minute: VoteMinute) => number): number {
  return counted.reduce((total, minute) => total + of(minute), 0)
}
