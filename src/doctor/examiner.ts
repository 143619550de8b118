import { SpliceError } from '../base/errors/splice.ts'
import type { Clock } from '../base/lib/clock.ts'
import type { Events } from '../base/telemetry/events.ts'
import type { AskOutcome } from '../base/telemetry/label-values.ts'
import type { AskReason, ReadTrace } from '../base/telemetry/traces.ts'
import type { Answer } from '../core/cache/answer.ts'
import type { Electorate, Group } from '../core/quorum/electorate.ts'
import type { Reply } from '../core/quorum/reply.ts'
import type { Verdict } from '../core/quorum/verdict.ts'
import type { Question } from '../core/reads/read.ts'
import { agreedAnswer } from '../core/scan/agreed-answer.ts'
import { caseOf, contradicting } from '../core/scan/disagreement.ts'
import { type Discovery, requiredRoster } from '../core/scan/discovery.ts'
import type { Case } from '../core/scan/evidence-log.ts'
import type { Inquiries, Inquiry } from '../core/scan/inquiry.ts'
import { notAgreed, reasonOf, thresholdProblem } from '../core/scan/not-agreed.ts'
import type { PageTokens } from '../core/scan/page-tokens.ts'
import { operatorName } from '../core/scan/roster.ts'

/**
 * The position of a voter towards the verdict.
 * - `agreed`: the voter gave the agreed vote, or a vote that does not contradict it
 *   (`contradicting`).
 * - `dissented`: the vote contradicts the agreed answer.
 * - `voted`: the voter gave a vote, but nothing was agreed.
 * - `silent`: the daemon asked the voter, but got no vote.
 * - `unasked`: the daemon did not need the vote, or could not or must not ask.
 */
export type Stance = 'agreed' | 'dissented' | 'voted' | 'silent' | 'unasked'

export interface Stand {
  readonly names: readonly string[]
  readonly operator: string
  readonly stance: Stance
  /**
   * The reason why the voter did not vote or was not asked, such as the name of a fault. Absent if
   * the voter voted, or if its vote was not needed.
   */
  readonly why?: string
  readonly seconds?: number
}

export interface Examination {
  readonly outcome: Verdict['kind']
  readonly rule: string
  readonly seconds: number
  readonly answer: Answer | undefined
  /**
   * The error that a caller of this read gets; undefined if an answer is agreed. An `undecided`
   * read with a constant answer (`Read.undecided`) gives its callers this answer instead.
   */
  readonly error: SpliceError | undefined
  readonly electorate: Pick<Electorate, 'superValidators' | 'operators'>
  /**
   * Whether the answer needed more votes than f faulty super validators have, or matches a hash in
   * the request. Without such a hash, false for f = 0 and in the mode `trust-single`
   * (quorum.md#loud-when-unprotected).
   */
  readonly protected: boolean
  readonly stands: readonly Stand[]
  readonly disagreement: Case | undefined
}

export interface ExaminationScope {
  /** If false, the examiner asks only as many super validators as an ordinary read. */
  readonly everyone: boolean
  /** Whether at least 2f+1 equal votes are needed, whatever threshold is configured. */
  readonly strict?: boolean
  readonly watch?: (event: VoteEvent) => void
}

export interface ExaminerDeps {
  readonly clock: Clock
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly inquiries: Inquiries
  readonly pages: PageTokens
  readonly events: Pick<Events, 'readSettled'>
}

const mostAtOnce = 32
const graceMs = 1_000

/**
 * Runs a read without the mirror and the caches, and reports on every super validator. Votes and
 * evidence are recorded as for any other read.
 */
export class Examiner {
  readonly #deps: ExaminerDeps
  #running = 0

  constructor(deps: ExaminerDeps) {
    this.#deps = deps
  }

  /**
   * @throws SpliceError `noRosterYet`, `tooManyReads`, `notEncoded`; the reason of the abort if the
   * daemon closes.
   */
  async examine(question: Question, options: ExaminationScope): Promise<Examination> {
    if (this.#running >= mostAtOnce) throw new SpliceError('tooManyReads', {}, { retryAfter: 1 })
    this.#running++
    try {
      return await this.#examine(question, options)
    } finally {
      this.#running--
    }
  }

  async #examine(question: Question, wanted: ExaminationScope): Promise<Examination> {
    const { clock, discovery, events, inquiries, pages } = this.#deps
    const { everyone, strict = false, watch } = wanted
    const roster = requiredRoster(discovery)
    const asked = pages.open(question, roster.membership.dso)
    const elapsed = () => clock.now() - inquiry.begun.now
    using inquiry: Inquiry = inquiries.ask(asked, roster, new AbortController().signal, {
      ...(everyone && { fanout: 'all' }),
      strict,
      trace: watch && ((begun) => voteRecorder(begun, clock, watch)),
    })
    const verdict = await inquiry.decided
    const took = elapsed() / 1000
    watch?.({ kind: 'settled', ms: elapsed(), outcome: verdict.kind })
    events.readSettled(question.read.id, verdict.kind, took, { rule: reasonOf(inquiry, verdict) })
    const answer = verdict.kind === 'agreed' ? await agreedAnswer(inquiry, verdict) : undefined
    await inquiry.whenOver(graceMs)
    await inquiry.ballots.compare()
    const error =
      answer === undefined
        ? (thresholdProblem(inquiry.electorate) ?? notAgreed(inquiry, clock.now()))
        : undefined
    const { electorate } = inquiry
    const { superValidators, operators } = electorate
    const against = contradicting(inquiry, verdict)
    const isWhole = verdict.kind === 'agreed' && against.length === 0
    return {
      outcome: verdict.kind,
      rule: reasonOf(inquiry, verdict),
      seconds: took,
      answer,
      error,
      electorate: operators === undefined ? { superValidators } : { superValidators, operators },
      protected: answer?.agreement.protected ?? roster.protects(electorate),
      stands: roster.voters.map((voter, index) => {
        const seconds = inquiry.seconds[index]
        return {
          names: voter.names,
          operator: operatorName(voter),
          ...standingOf(inquiry, verdict, against, index),
          ...(seconds === undefined ? {} : { seconds }),
        }
      }),
      disagreement: isWhole ? undefined : caseOf(inquiry, verdict, against, clock.wall()),
    }
  }
}

function standingOf(
  { heard, unasked, roster, aside }: Inquiry,
  verdict: Verdict,
  against: Group,
  index: number,
): Pick<Stand, 'stance' | 'why'> {
  if (roster.voters[index]?.place === undefined)
    return { stance: 'unasked', why: 'it publishes no address that can be asked' }
  if (unasked.includes(index)) return { stance: 'unasked' }
  if (aside.includes(index)) return { stance: 'unasked', why: 'an operator of this daemon set it aside' }
  const reply = heard[index]
  if (reply?.kind === 'fault' && reply.fault === 'held-back')
    return { stance: 'unasked', why: 'it is asked no more often than its limits allow' }
  const why = silenceOf(reply)
  if (why !== undefined) return { stance: 'silent', why }
  if (verdict.kind !== 'agreed') return { stance: 'voted' }
  return { stance: against.includes(index) ? 'dissented' : 'agreed' }
}

function silenceOf(reply: Reply | undefined): string | undefined {
  if (reply === undefined) return 'no reply before the vote ended'
  if (reply.kind === 'fault') return reply.fault
  return reply.kind === 'abstention' ? reply.reason : undefined
}

/**
 * Returns the reason why these votes do not show who is right: `disputed` if nothing was agreed,
 * `beyond-f` if more than f votes contradict the agreed answer.
 */
export function doubtOf({
  outcome,
  stands,
  electorate,
}: Pick<Examination, 'outcome' | 'stands' | 'electorate'>): 'disputed' | 'beyond-f' | undefined {
  if (outcome !== 'agreed') return 'disputed'
  const against = stands.filter(({ stance }) => stance === 'dissented')
  return against.length > electorate.superValidators.f ? 'beyond-f' : undefined
}

/**
 * One event of an inquiry: the daemon asked a voter, heard its reply, or reached the verdict. `ms`
 * is the time since the inquiry began. `voter` is an index into the roster's voters.
 */
export type VoteEvent =
  | { readonly kind: 'asked'; readonly ms: number; readonly voter: number; readonly reason: AskReason }
  | {
      readonly kind: 'heard'
      readonly ms: number
      readonly voter: number
      readonly outcome: AskOutcome
      /**
       * A number that equal votes share: 0 for the first distinct vote that arrived, 1 for the
       * next. Undefined if the reply is no vote.
       */
      readonly group: number | undefined
    }
  | { readonly kind: 'settled'; readonly ms: number; readonly outcome: Verdict['kind'] }

function voteRecorder(
  inquiry: Inquiry,
  clock: Pick<Clock, 'now'>,
  tell: (event: VoteEvent) => void,
): ReadTrace {
  const { roster, begun } = inquiry
  const elapsed = () => clock.now() - begun.now
  const groups = new Map<string, number>()
  const groupOf = (voter: number): number | undefined => {
    const reply = inquiry.heard[voter]
    if (reply?.kind !== 'value' && reply?.kind !== 'refusal') return undefined
    const vote = `${reply.kind} ${reply.vote}`
    if (!groups.has(vote)) groups.set(vote, groups.size)
    return groups.get(vote)
  }
  return {
    ask(sv, reason) {
      const voter = roster.voters.findIndex(({ names }) => names[0] === sv)
      tell({ kind: 'asked', ms: elapsed(), voter, reason })
      return {
        traceParent: undefined,
        heard(outcome) {
          const ms = elapsed()
          // The event is deferred, because the plan gets the reply only after this call. The event
          // `settled` still comes after this event.
          queueMicrotask(() => tell({ kind: 'heard', ms, voter, outcome, group: groupOf(voter) }))
        },
        abandoned: nothing,
      }
    },
    settled: nothing,
    abandoned: nothing,
  }
}

function nothing(): void {}
