import type { Clock } from '../lib/clock.ts'
import type { Electorate } from '../quorum/electorate.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import type { InquiryOptions } from './inquiry.ts'
import type { JudgeThread } from './judge-thread.ts'
import type { ReplyObserver } from './reply-observer.ts'
import type { RosterSet, RosterVoter } from './roster.ts'
import {
  isDisagreement,
  type PollOutcome,
  type PollReply,
  pollForRoster,
  type RosterPoll,
  replyInWords,
  rosterCaseOf,
} from './roster-poll.ts'
import { SeedResults, type SeedState } from './seed-results.ts'

export interface RosterPollsOptions {
  /** The configured DSO; undefined if there is none. */
  readonly dsoPartyId: string | undefined
  readonly inquiry: InquiryOptions
}

export interface RosterPollsDeps {
  readonly clock: Clock
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly observer?: Pick<ReplyObserver, 'rulesHeard'> | undefined
  readonly events: {
    /**
     * Reports how a seed or a member replied when it was asked for the roster, or that it failed to reply.
     */
    heard(name: string, outcome: PollOutcome, seconds: number): void
    seedAnswered(seed: string, answer: string): void
  }
}

interface Asked {
  /** Whether the poll decides only when all replies have arrived. */
  readonly patient: boolean
  /** Called with the first well-formed roster that arrives, before anything is agreed. */
  readonly first?: (set: RosterSet) => void
  readonly signal: AbortSignal
}

/**
 * Asks seeds or members for the roster. Records the results of the seeds for the status, and disagreements as
 * evidence.
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

  /** Asks the members of a roster. Rejects only when the signal aborts. */
  members(electorate: Electorate, asked: Asked): Promise<RosterPoll> {
    return this.#poll(electorate, asked, (voter, { rules }) => {
      if (rules !== undefined) this.#deps.observer?.rulesHeard(voter, rules)
    })
  }

  /** Asks the seeds, and records what each seed answered. Rejects only when the signal aborts. */
  async seeds(electorate: Electorate, asked: Asked): Promise<RosterPoll> {
    const poll = await this.#poll(electorate, asked, (voter, { result }) =>
      this.#seedResults.said(voter, result),
    )
    if (poll.set === undefined) this.#tellSeeds(electorate, poll)
    return poll
  }

  resultsOf(urls: readonly string[]): readonly SeedState[] {
    return this.#seedResults.of(urls)
  }

  /** Deletes the recorded answers of all seeds that are not among `urls`. */
  keepAnswersOf(urls: readonly string[]): void {
    this.#seedResults.keep(urls)
  }

  /**
   * Records a poll as evidence if the voters contradict one another, or contradict the roster that they were
   * asked to confirm.
   * @param expected the roster that the voters were asked to confirm; undefined if there is none.
   */
  keepDisagreement(electorate: Electorate, poll: RosterPoll, expected?: RosterSet): void {
    if (!isDisagreement(poll, expected)) return
    this.#deps.evidence.add(rosterCaseOf(electorate, poll, this.#deps.clock.wall()))
  }

  async #poll(
    electorate: Electorate,
    { patient, first, signal }: Asked,
    said: (voter: RosterVoter, reply: PollReply) => void,
  ): Promise<RosterPoll> {
    const heard = (voter: RosterVoter, reply: PollReply) => {
      this.#deps.events.heard(voter.names[0] as string, reply.outcome, reply.seconds)
      said(voter, reply)
    }
    const poll = await pollForRoster(
      { ...this.#options, electorate, patient, first, signal, heard },
      this.#deps,
    )
    // Changed options abort the signal. The result of a poll under the former options must not be used.
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
