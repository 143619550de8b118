import type { Clock } from '../lib/clock.ts'
import type { Group } from '../quorum/electorate.ts'
import { isOwnLimit } from '../quorum/reply.ts'
import { isVote, type Vote } from '../quorum/tally.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Events } from '../telemetry/events.ts'
import { agreedDigest } from './agreed-answer.ts'
import { caseOf, contradicting, haveOtherHistory, isNewerThanAgreed } from './disagreement.ts'
import { type Case, type DissentOutcome, type EvidenceLog, longestBody } from './evidence-log.ts'
import type { Inquiry } from './inquiry.ts'
import { JudgeFailed } from './judge-thread.ts'
import { reasonOf } from './not-agreed.ts'
import type { Rechecks } from './rechecks.ts'
import type { RosterVoter } from './roster.ts'

/**
 * The rule in the evidence if all super validators but f gave an older answer twice, which the
 * daemon then accepts (quorum.md#never-back).
 */
const withdrawnRule = 'withdrawn: all super validators but f gave twice what is older than an answer before'

export interface WitnessDeps {
  readonly clock: Clock
  readonly evidence: EvidenceLog
  readonly keepsQuestions?: boolean
  readonly rechecks: Rechecks
  readonly events: Pick<Events, 'forSuperValidator' | 'recheckFiled' | 'evidenceLost'>
}

/** Records votes and evidence after the last reply of a read, and starts rechecks of dissenters. */
export class Witness {
  readonly #deps: WitnessDeps

  constructor(deps: WitnessDeps) {
    this.#deps = deps
  }

  readClosed(inquiry: Inquiry): void {
    const { verdict, heard } = inquiry.plan
    if (verdict === undefined) return
    const against = contradicting(inquiry, verdict)
    const elsewhere = haveOtherHistory(inquiry, verdict)
    for (let index = 0; index < heard.length; index++) {
      const reply = heard[index]
      if (reply === undefined) continue
      const { names } = inquiry.roster.voters[index] as RosterVoter
      const { id } = inquiry.read
      const sv = this.#deps.events.forSuperValidator(names[0] as string)
      if (reply.kind === 'abstention' || elsewhere.includes(index)) sv.voted(id, 'abstain')
      else if (reply.kind === 'fault') {
        if (!isOwnLimit(reply)) sv.voted(id, 'fault')
      } else if (verdict.kind === 'agreed' && !against.includes(index)) sv.voted(id, 'agree')
    }
    if (verdict.kind === 'agreed' ? against.length === 0 : failedByOwnLimits(inquiry)) return
    this.#write(inquiry, verdict, against).catch((error: unknown) => {
      // No voter is to blame if the judge thread fails to process a body.
      if (!(error instanceof JudgeFailed)) this.#deps.events.evidenceLost(error)
    })
  }

  withdrawn(inquiry: Inquiry, verdict: Verdict): void {
    const { clock, evidence } = this.#deps
    evidence.add(caseOf(inquiry, { ...verdict, rule: withdrawnRule }, [], clock.wall()))
  }

  async #write(inquiry: Inquiry, verdict: Verdict, against: Group): Promise<void> {
    using _ = inquiry.hold()
    const comparing = inquiry.ballots.compare()
    if (comparing !== undefined) await comparing
    const { clock, evidence, keepsQuestions } = this.#deps
    const told = { ...verdict, rule: reasonOf(inquiry, verdict) }
    const made = caseOf(inquiry, told, against, clock.wall())
    const kept = keepsQuestions === true ? { ...made, question: shortened(inquiry.question.params) } : made
    evidence.add(kept)
    if (verdict.kind !== 'agreed') return
    const agreed = await agreedDigest(inquiry, verdict)
    this.#recheck(inquiry, { agreed, verdict, against }, kept.dissent)
  }

  /**
   * @param filings the part of the case that receives the outcome of each dissent. A pending
   * recheck thus does not keep the whole case in memory.
   */
  #recheck(
    inquiry: Inquiry,
    { agreed, verdict, against }: { agreed: string; verdict: Verdict; against: Group },
    filings: Case['dissent'],
  ): void {
    const { roster, question, plan, ballots } = inquiry
    const { clock, events } = this.#deps
    const votedAt = clock.now()
    for (const index of against) {
      const voter = roster.voters[index] as RosterVoter
      const said = ballots.statement((plan.heard[index] as Vote).vote).comparison?.digest ?? ''
      const file = (as: DissentOutcome) => {
        for (const name of voter.names) filings[name] = as
        events.recheckFiled(voter.names[0] as string, question.read.id, as, clock.now() - votedAt)
      }
      const isNewer = isNewerThanAgreed(inquiry, verdict, index)
      this.#deps.rechecks.add({ voter, question, said, agreed, isNewer, file })
    }
  }
}

function shortened(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, value.slice(0, longestBody)]),
  )
}

/**
 * Whether this daemon's own limits may be the reason why nothing was agreed: they prevented at
 * least one reply, and no two votes differ.
 */
function failedByOwnLimits({ plan: { heard } }: Inquiry): boolean {
  const votes = heard.filter((reply) => isVote(reply))
  const isOneVoice = new Set(votes.map(({ kind, vote }) => `${kind} ${vote}`)).size < 2
  return isOneVoice && heard.some((reply) => reply !== undefined && isOwnLimit(reply))
}
