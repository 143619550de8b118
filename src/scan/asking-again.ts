import type { Question } from '../reads/read.ts'
import { agreedDigest } from './agreed-answer.ts'
import { outcomeAmongAll } from './disagreement.ts'
import { type Discovery, requiredRoster } from './discovery.ts'
import type { DissentOutcome } from './evidence-log.ts'
import { Inquiry, type InquiryDeps, type InquiryOptions } from './inquiry.ts'
import type { RosterVoter } from './roster.ts'

export interface ContradictingVote {
  readonly voter: RosterVoter
  readonly question: Question
  /** The digest of the voter's answer, and that of the agreed answer. */
  readonly said: string
  readonly agreed: string
  /** Whether the voter's answer says of itself that it is newer than the agreed one. */
  readonly isNewer: boolean
}

export interface AskingAgainDeps extends InquiryDeps {
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
}

/**
 * Puts a question to the super validators again, to find out what became of a contradiction. Records
 * no votes and no evidence.
 */
export class AskingAgain {
  readonly #options: InquiryOptions
  readonly #deps: AskingAgainDeps

  constructor(options: InquiryOptions, deps: AskingAgainDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Returns the digest of the answer that is agreed now, or undefined without agreement. */
  async agreedNow(question: Question, signal: AbortSignal): Promise<string | undefined> {
    const roster = requiredRoster(this.#deps.discovery)
    const inquiry = new Inquiry(question, roster, this.#options, this.#deps)
    using _ = inquiry.hold()
    const verdict = await inquiry.run(signal)
    return verdict.kind === 'agreed' ? await agreedDigest(inquiry, verdict) : undefined
  }

  /**
   * Asks every super validator, to find out whether a contradiction was a lie or lag
   * (quorum.md#lag-is-not-a-lie).
   */
  async amongAll(
    { question, voter, said, agreed, isNewer }: ContradictingVote,
    signal: AbortSignal,
  ): Promise<DissentOutcome> {
    const roster = requiredRoster(this.#deps.discovery)
    const inquiry = new Inquiry(question, roster, { ...this.#options, fanout: 'all' }, this.#deps)
    using _ = inquiry.hold()
    const verdict = await inquiry.run(signal)
    await inquiry.over
    if (signal.aborted) throw signal.reason
    await inquiry.ballots.compare()
    const index = roster.voters.findIndex(({ names }) => names[0] === voter.names[0])
    return outcomeAmongAll(inquiry, verdict, index, { said, agreed, isNewer })
  }
}
