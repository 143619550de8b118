import type { Clock } from '../lib/clock.ts'
import type { Electorate } from '../quorum/electorate.ts'
import type { Events } from '../telemetry/events.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import type { InquiryOptions } from './inquiry.ts'
import type { JudgeThread } from './judge-thread.ts'
import { placeOf } from './origin.ts'
import type { RosterSet, RosterVoter } from './roster.ts'
import {
  isDisagreement,
  type PollReply,
  type PollResult,
  pollForRoster,
  type RosterPoll,
  replyInWords,
  rosterCaseOf,
} from './roster-poll.ts'

export interface RosterPollsOptions {
  readonly dsoPartyId: string | undefined
  readonly inquiry: InquiryOptions
}

export interface RosterPollsDeps {
  readonly clock: Clock
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly events: Pick<Events, 'scanAsked' | 'seedAnswered'>
}

interface PollOptions {
  readonly patient: boolean
  readonly onFirstRoster?: (set: RosterSet) => void
  readonly signal: AbortSignal
}

/**
 * Asks seeds or members for the roster. Records the results of the seeds for the status, and
 * disagreements as evidence.
 */
export class RosterPolls {
  readonly #options: RosterPollsOptions
  readonly #deps: RosterPollsDeps
  readonly #seedResults: SeedResults

  constructor(options: RosterPollsOptions, deps: RosterPollsDeps) {
    this.#options = options
    this.#deps = deps
    this.#seedResults = new SeedResults(deps.clock)
  }

  members(electorate: Electorate, asked: PollOptions): Promise<RosterPoll> {
    return this.#poll(electorate, asked)
  }

  async seeds(electorate: Electorate, asked: PollOptions): Promise<RosterPoll> {
    const poll = await this.#poll(electorate, asked, (voter, { result }) =>
      this.#seedResults.said(voter, result),
    )
    if (poll.set === undefined) this.#tellSeeds(electorate, poll)
    return poll
  }

  resultsOf(urls: readonly string[]): readonly SeedState[] {
    return this.#seedResults.of(urls)
  }

  keepAnswersOf(urls: readonly string[]): void {
    this.#seedResults.keep(urls)
  }

  keepDisagreement(electorate: Electorate, poll: RosterPoll, expected?: RosterSet): void {
    if (!isDisagreement(poll, expected)) return
    this.#deps.evidence.add(rosterCaseOf(electorate, poll, this.#deps.clock.wall()))
  }

  async #poll(
    electorate: Electorate,
    { patient, onFirstRoster, signal }: PollOptions,
    said: (voter: RosterVoter, reply: PollReply) => void = () => {},
  ): Promise<RosterPoll> {
    const heard = (voter: RosterVoter, reply: PollReply) => {
      this.#deps.events.scanAsked(voter.names[0] as string, reply.outcome, reply.seconds)
      said(voter, reply)
    }
    const poll = await pollForRoster(
      { ...this.#options, electorate, patient, onFirstRoster, signal, heard },
      this.#deps,
    )
    // Changed options abort the signal. A poll under the former options must not be used.
    signal.throwIfAborted()
    return poll
  }

  #tellSeeds(electorate: Electorate, poll: RosterPoll): void {
    electorate.voters.forEach(({ names }, voter) => {
      const answer = replyInWords(poll.plan.heard[voter], poll.sets)
      for (const name of names) this.#deps.events.seedAnswered(name, answer)
    })
  }
}

export interface SeedState {
  readonly url: string
  readonly outcome: PollResult['outcome'] | 'not-asked-yet'
  readonly detail: string
  readonly at: string | null
}

export class SeedResults {
  readonly #clock: Pick<Clock, 'wall'>
  readonly #results = new Map<string, PollResult & { readonly at: string }>()

  constructor(clock: Pick<Clock, 'wall'>) {
    this.#clock = clock
  }

  said({ names, place }: RosterVoter, result: PollResult): void {
    const at = new Date(this.#clock.wall()).toISOString()
    this.#results.set(place?.origin ?? (names[0] as string), { ...result, at })
  }

  of(urls: readonly string[]): readonly SeedState[] {
    return urls.map((url) => {
      const result = this.#results.get(keyOf(url))
      return { url, ...(result ?? { outcome: 'not-asked-yet', detail: '', at: null }) }
    })
  }

  keep(urls: readonly string[]): void {
    const kept = new Set(urls.map(keyOf))
    for (const key of this.#results.keys()) if (!kept.has(key)) this.#results.delete(key)
  }
}

function keyOf(url: string): string {
  return placeOf(url)?.origin ?? url
}
