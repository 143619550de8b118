import type { Clock } from '../../base/lib/clock.ts'
import { digest } from '../../base/lib/digest.ts'
import type { Events } from '../../base/telemetry/events.ts'
import { cacheKey } from '../cache/key.ts'
import { companions, dissenters, fitsHistory, partVotesOf, testimonies } from '../quorum/dissenters.ts'
import type { Group } from '../quorum/electorate.ts'
import { isOwnLimit } from '../quorum/reply.ts'
import { hasHonest, isVote, meetThreshold, type Vote } from '../quorum/tally.ts'
import type { AgreedVerdict, Verdict } from '../quorum/verdict.ts'
import type { Question } from '../reads/read.ts'
import { agreedDigest } from './agreed-answer.ts'
import { RefusalStatement, ValueStatement } from './ballots.ts'
import { type Case, type DissentOutcome, type EvidenceLog, longestBody, repliesIn } from './evidence-log.ts'
import type { Inquiry, InquiryWitness } from './inquiry.ts'
import { JudgeFailed } from './judge-thread.ts'
import type { Comparison } from './judgement.ts'
import { reasonOf } from './not-agreed.ts'
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

export interface Dissent extends ContradictingVote {
  readonly file: (as: DissentOutcome) => void
}

/**
 * The rule in the evidence if all super validators but f gave an older answer twice, which the
 * daemon then accepts (quorum.md#never-back).
 */
const withdrawnRule = 'withdrawn: all super validators but f gave twice what is older than an answer before'

export interface WitnessDeps {
  readonly clock: Clock
  readonly evidence: EvidenceLog
  readonly keepsQuestions?: boolean
  readonly rechecks: { add(dissent: Dissent): void }
  readonly events: Pick<Events, 'forSuperValidator' | 'recheckFiled' | 'evidenceLost'>
}

/** Records votes and evidence after the last reply of a read, and starts rechecks of dissenters. */
export class Witness implements InquiryWitness {
  readonly #deps: WitnessDeps

  constructor(deps: WitnessDeps) {
    this.#deps = deps
  }

  /** @returns a promise while evidence is written. It never rejects. */
  allReplied(inquiry: Inquiry): Promise<void> | undefined {
    const { verdict, heard } = inquiry
    if (verdict === undefined) return undefined
    const against = contradicting(inquiry, verdict)
    const elsewhere = inquiry.read.holders && haveOtherHistory(inquiry, verdict)
    for (let index = 0; index < heard.length; index++) {
      const reply = heard[index]
      if (reply === undefined) continue
      const { names } = inquiry.roster.voters[index] as RosterVoter
      const { id } = inquiry.read
      const sv = this.#deps.events.forSuperValidator(names[0] as string)
      if (reply.kind === 'abstention' || elsewhere?.includes(index)) sv.voted(id, 'abstain')
      else if (reply.kind === 'fault') {
        if (!isOwnLimit(reply)) sv.voted(id, 'fault')
      } else if (verdict.kind === 'agreed' && !against.includes(index)) sv.voted(id, 'agree')
    }
    if (verdict.kind === 'agreed' ? against.length === 0 : failedByOwnLimits(inquiry)) return undefined
    return this.#write(inquiry, verdict, against).catch((error: unknown) => {
      // No voter is to blame if the judge thread fails to process a body.
      if (!(error instanceof JudgeFailed)) this.#deps.events.evidenceLost(error)
    })
  }

  withdrawn(inquiry: Inquiry, verdict: Verdict): void {
    const { clock, evidence } = this.#deps
    evidence.add(caseOf(inquiry, { ...verdict, rule: withdrawnRule }, [], clock.wall()))
  }

  async #write(inquiry: Inquiry, verdict: Verdict, against: Group): Promise<void> {
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
    const { roster, question, heard, ballots } = inquiry
    const { clock, events } = this.#deps
    const votedAt = clock.now()
    for (const index of against) {
      const voter = roster.voters[index] as RosterVoter
      const said = ballots.statement((heard[index] as Vote).vote).comparison?.digest ?? ''
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
  const parts = Object.entries(params).map(([name, value]) => [name, value.slice(0, longestBody)] as const)
  // V8 keeps the whole text of a slice in memory, but not that of a clone.
  return Object.fromEntries(structuredClone(parts))
}

/**
 * Whether this daemon's own limits may be the reason why nothing was agreed: they prevented at
 * least one reply, and no two votes differ.
 */
function failedByOwnLimits({ heard }: Inquiry): boolean {
  const votes = heard.filter((reply) => isVote(reply))
  const isOneVoice = new Set(votes.map(({ kind, vote }) => `${kind} ${vote}`)).size < 2
  return isOneVoice && heard.some((reply) => reply !== undefined && isOwnLimit(reply))
}

/**
 * Returns the voters whose votes contradict the verdict. A vote may differ without contradicting it:
 * the scan may hold another part of a history, or several values may be true (`ranked` and `reached`
 * reads).
 */
export function contradicting(inquiry: Inquiry, verdict: Verdict): Group {
  const { agree } = inquiry.read
  const against = dissenters(
    verdict,
    inquiry.heard,
    agree.on === 'items' ? agree.fullPage(inquiry.question.params) : undefined,
  )
  if (agree.on === 'reached') return against.filter((voter) => inquiry.heard[voter]?.kind !== 'value')
  if (inquiry.read.holders !== undefined) return without(against, haveOtherHistory(inquiry, verdict))
  if (agree.on !== 'ranked') return against
  return against.filter((voter) => !hasWon(inquiry, voter) && !isAnotherPick(inquiry, verdict, voter))
}

/**
 * In a read of history, returns the voters that report an absence against a value, or a value
 * against an absence. They contradict nobody: each scan loads and prunes history at its own time.
 */
function haveOtherHistory({ heard, ballots }: Inquiry, verdict: Verdict): Group {
  if (verdict.kind !== 'agreed') return []
  const isAbsence = (vote: string) => {
    const statement = ballots.statement(vote)
    return statement instanceof RefusalStatement && statement.status === 404
  }
  const agreesOnNothing = verdict.on === 'refusal' && isAbsence(verdict.vote)
  if (verdict.on === 'refusal' && !agreesOnNothing) return []
  return heard.flatMap((reply, voter) => {
    if (!isVote(reply)) return []
    const saysNothing = reply.kind === 'refusal' && isAbsence(reply.vote)
    const hasAnother = agreesOnNothing ? reply.kind === 'value' : saysNothing
    return hasAnother ? [voter] : []
  })
}

/** Whether what a voter said is newer than the agreed answer, by what both say of their age. */
function isNewerThanAgreed({ heard, ballots, read }: Inquiry, verdict: Verdict, voter: number): boolean {
  const reply = heard[voter]
  if (read.version === undefined || verdict.kind !== 'agreed' || reply?.kind !== 'value') return false
  if (verdict.on === 'refusal') return read.version.absence === 'older'
  const versionOf = (vote: string) => ballots.statement(vote).bodies[0]?.judged?.version ?? ''
  return verdict.on === 'value' && versionOf(reply.vote) > versionOf(verdict.vote)
}

function without(group: Group, others: Group): Group {
  return group.filter((voter) => !others.includes(voter))
}

/**
 * Classifies a dissent after all voters were asked the same question again. The caller must have
 * awaited `Ballots.compare`.
 * @param dissent the digests of what the voter had said, and of the agreed answer.
 */
export function outcomeAmongAll(
  inquiry: Inquiry,
  verdict: Verdict,
  voter: number,
  dissent: { readonly said: string; readonly agreed: string; readonly isNewer: boolean },
): DissentOutcome {
  const { heard } = inquiry
  const reply = heard[voter]
  if (!isVote(reply)) return 'unchecked'
  const said = inquiry.ballots.statement(reply.vote).comparison?.digest
  if (said === dissent.agreed) return 'lag'
  if (verdict.kind === 'agreed') {
    const contradicts = contradicting(inquiry, verdict).includes(voter)
    if (!contradicts || fitsHistory(verdict, heard, voter))
      return said === dissent.said || dissent.isNewer ? 'ahead' : 'lag'
  }
  if (hasHonest(inquiry.electorate, companions(verdict, heard, voter))) return 'split'
  return verdict.kind === 'agreed' ? 'dissent' : 'unchecked'
}

/**
 * Builds the evidence of a disagreement. The caller must have awaited `Ballots.compare`.
 * @param wall milliseconds since 1970.
 */
export function caseOf(inquiry: Inquiry, verdict: Verdict, against: Group, wall: number): Case {
  const { electorate, heard, ballots, roster, question } = inquiry
  const comparisonOf = (vote: string) => ballots.statement(vote).comparison as Comparison
  // A fault that this daemon's own limits caused is no evidence about the voter, so it counts as no
  // reply.
  const said = testimonies(
    electorate,
    heard.map((reply) => (reply !== undefined && isOwnLimit(reply) ? undefined : reply)),
  )
  const partVotes = partVotesOf(verdict, heard)
  const names = against.flatMap((index) => roster.voters[index]?.names ?? [])
  const sharedVotes = roster.voters.filter((voter) => voter.names.length > 1).map((voter) => voter.names)
  return {
    at: new Date(wall).toISOString(),
    read: question.read.id,
    params: digest(cacheKey('', question.read.id, question.params)),
    outcome: verdict.kind,
    rule: verdict.rule,
    agreed: verdict.kind === 'agreed' && isWhole(verdict) ? comparisonOf(verdict.vote).digest : null,
    ...(partVotes !== undefined && { partVotes }),
    ...repliesIn(said, (_, vote) => {
      const { digest: known, excerpt } = comparisonOf(vote)
      return { digest: known, body: excerpt }
    }),
    ...(inquiry.aside.length > 0 && {
      setAside: inquiry.aside.flatMap((index) => roster.voters[index]?.names ?? []),
    }),
    ...(sharedVotes.length > 0 && { sharedVotes }),
    dissent: Object.fromEntries(names.map((name) => [name, 'pending' as const])),
  }
}

/**
 * Whether the voter's value reached the threshold. If several values reach it, the daemon serves
 * only one of them, but the other values are not wrong.
 */
function hasWon({ electorate, heard }: Inquiry, voter: number): boolean {
  const said = heard[voter]
  if (said?.kind !== 'value') return false
  const group = heard.flatMap((reply, other) =>
    reply?.kind === 'value' && reply.vote === said.vote ? [other] : [],
  )
  return meetThreshold(electorate, group)
}

/**
 * Whether the voter's value and the agreed value are two picks. In some reads several values are
 * true, and each scan picks any one of them, so two different picks do not contradict each other.
 */
function isAnotherPick(
  { read: { agree }, heard, ballots }: Inquiry,
  verdict: Verdict,
  voter: number,
): boolean {
  if (agree.on !== 'ranked' || agree.isPick === undefined) return false
  const { isPick } = agree
  const said = heard[voter]
  if (said?.kind !== 'value' || verdict.kind !== 'agreed' || verdict.on !== 'value') return false
  return [said.vote, verdict.vote].every((vote) => {
    const statement = ballots.statement(vote)
    return statement instanceof ValueStatement && isPick(statement.value)
  })
}

function isWhole(verdict: AgreedVerdict): verdict is Extract<AgreedVerdict, { on: 'value' | 'refusal' }> {
  return verdict.on === 'value' || verdict.on === 'refusal'
}
