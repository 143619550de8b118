import { type QuorumReached, SpliceError } from '../../base/errors/splice.ts'
import { type Clock, isClockStepped, milliseconds, momentOf } from '../../base/lib/clock.ts'
import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { SettledRead, Traces } from '../../base/telemetry/traces.ts'
import type { Agreement } from '../cache/agreement.ts'
import type { Answer, Lifetime } from '../cache/answer.ts'
import {
  type Answers,
  type CacheCaller,
  type Load,
  type Loaded,
  type Purpose,
  QuestionBytes,
  type Served,
  TooManyLoads,
} from '../cache/answers.ts'
import type { InvalidationLog } from '../cache/invalidation-log.ts'
import { cacheKey } from '../cache/key.ts'
import type { IsBehind } from '../cache/store.ts'
import type { RollbackGuard } from '../guard/rollback-guard.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Question, Read } from '../reads/read.ts'
import { reads } from '../reads/table.ts'
import { agreedAnswer, undecidedAnswer } from './agreed-answer.ts'
import type { Witness } from './disagreement.ts'
import { type Discovery, requiredRoster } from './discovery.ts'
import { Inquiry, type InquiryDeps, type InquiryOptions } from './inquiry.ts'
import type { MirroredReads } from './mirrored-reads.ts'
import { mayBeMissing, notAgreed, quorumOfNobody, reasonOf, thresholdProblem } from './not-agreed.ts'
import { RollbackCheck } from './rollback-check.ts'
import type { Roster } from './roster.ts'

const longestWaitSeconds = 60

export interface ReaderOptions {
  readonly inquiry: InquiryOptions
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
}

export interface ReaderDeps extends InquiryDeps {
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly answers: Answers
  readonly invalidations: Pick<InvalidationLog, 'forgetHere'>
  readonly witness: Witness
  readonly events: InquiryDeps['events'] & Pick<Events, 'readSettled' | 'readRejected' | 'heldUp'>
  readonly traces?: Traces | undefined
  readonly guard?: RollbackGuard | undefined
}

export interface Caller extends CacheCaller {
  /**
   * The value of the caller's W3C header `traceparent`. A load that several callers share uses the
   * value of the first caller.
   */
  readonly traceParent?: string | undefined
}

/**
 * The time for which memory keeps a partly agreed answer, such as some items of a list
 * (quorum.md#lists-item-by-item), and a first page that others follow: a caller that begins again
 * then gets the tokens of scans that still answer. Such answers are never stored in Redis.
 */
const shortLived: Lifetime = { freshMs: 5_000, staleMs: 5_000 }

/**
 * The least time for which a page that others follow waits for further voters. Each one that gives
 * the page can give the next one.
 */
const leastGraceMs = 1_000

/**
 * Answers questions with the answer of a quorum: from the mirror, from a cache, or by asking the
 * super validators.
 */
export class Reader implements Disposable {
  readonly #options: ReaderOptions
  readonly #deps: ReaderDeps
  /**
   * One controller for each load in progress, which aborts the load. A controller stays in the set
   * after the caller has its answer, until the load has no more late replies to wait for.
   */
  readonly #open = new Set<AbortController>()
  /** The bodies of all requests to scans, until the last scan of a load has replied. */
  readonly #asking = new QuestionBytes()
  readonly #rollback: RollbackCheck | undefined
  #mirror: MirroredReads | undefined
  #trust: string | undefined

  constructor(options: ReaderOptions, deps: ReaderDeps) {
    this.#options = options
    this.#deps = deps
    const { guard } = deps
    if (guard !== undefined)
      this.#rollback = new RollbackCheck(options.inquiry, { ...deps, guard, open: this.#open })
  }

  /** From now on, the mirror answers what it can. */
  answerFrom(mirror: MirroredReads): void {
    this.#mirror = mirror
    this.#rollback?.raiseTo(mirror)
  }

  /**
   * Returns an answer from the mirror or from memory at once, and a promise for any other answer.
   * @throws SpliceError `noRosterYet`, `thresholdAboveRoster`, `tooManyReads`, `notEnoughScans`,
   * `scansHeldBack`, `noConsensus`, `goneFromScans`, `unknownPageToken`, `pageNotContinued`, `historyNotLoaded`, `historyNotKept`,
   * `behind`, `notEncoded`; the reason for which the caller left; the error that `caller.beforeLoad`
   * throws.
   */
  answer(question: Question, caller: Caller = {}): MaybePromise<Served> {
    if (caller.notBefore !== undefined) requireWithinReach(caller.notBefore, caller, this.#deps.clock)
    const roster = requiredRoster(this.#deps.discovery)
    const mirrored = this.#mirror?.find(question, caller.receivedAt, caller.notBefore)
    const known = mirrored?.answer ?? this.#mirror?.known(question)
    const isAdmitted =
      known === undefined || (this.#rollback?.admits(question, roster, known, mirrored?.agreedAt) ?? true)
    return whenKnown(isAdmitted, (isServed) => {
      if (mirrored === undefined || !isServed) {
        const isPaged = question.read.pages !== undefined
        const asked = isPaged ? this.#deps.pages.open(question, roster.membership.dso) : question
        return this.#cachedAnswer(question, asked, roster, caller)
      }
      this.#mirror?.answered(mirrored)
      return mirrored
    })
  }

  quorumOfNobody(read: Read): QuorumReached | undefined {
    const { roster } = this.#deps.discovery
    return roster && quorumOfNobody(roster, read.id)
  }

  /**
   * Asks the super validators without the mirror and the caches. Votes and disagreements are recorded
   * as for any other read.
   */
  async liveAnswer(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const roster = requiredRoster(this.#deps.discovery)
    const inquiry = new Inquiry(question, roster, this.#options.inquiry, this.#deps)
    using _ = inquiry.hold()
    const verdict = await inquiry.run(signal, () => this.#deps.witness.readClosed(inquiry))
    return verdict.kind === 'agreed' ? await agreedAnswer(inquiry, verdict) : undefined
  }

  /**
   * Returns how long, and where, caches may keep an answer. `lifetime` is undefined for an absence
   * that only one voter reported: no cache may keep it (quorum.md#a-threshold-of-one).
   */
  lifetimeOf(read: Read, answer: Answer): { lifetime: Lifetime | undefined; sharedInRedis: boolean } {
    if (answer.kind === 'absence' && this.#isOneVote(answer.agreement))
      return { lifetime: undefined, sharedInRedis: false }
    if (!answer.agreement.complete) return { lifetime: shortLived, sharedInRedis: false }
    const times = this.#options.times[read.id]
    if (times === undefined) throw new Error(`no cache times for ${read.id}`)
    return { lifetime: answer.kind === 'value' ? times.value : times.absence, sharedInRedis: true }
  }

  /** Super validators of one origin share a vote. */
  #isOneVote({ agreed }: Agreement): boolean {
    const voter = this.#deps.discovery.roster?.voters.find(({ names }) => names.includes(agreed[0] ?? ''))
    return agreed.length <= (voter?.names.length ?? 1)
  }

  [Symbol.dispose](): void {
    for (const source of this.#open) source.abort(new Error('the reader is closing'))
  }

  async #load(inquiry: Inquiry, source: AbortController, purpose: Purpose, caller: Caller): Promise<Loaded> {
    const { clock, events, witness, traces } = this.#deps
    const { read } = inquiry
    const { threshold, n } = inquiry.electorate.superValidators
    if (threshold > inquiry.electorate.voters.length) throw thresholdProblem(inquiry)
    const { bodyBytes } = inquiry
    this.#asking.hold(bodyBytes)
    const begun = momentOf(clock)
    const started = begun.now
    this.#open.add(source)
    void inquiry.over.then(() => {
      this.#open.delete(source)
      this.#asking.release(bodyBytes)
    })
    const cache = purpose === 'answer' ? 'miss' : 'stale'
    const trace = traces?.read(read.id, { threshold, voters: n, cache }, caller.traceParent)
    using held = inquiry.hold()
    const verdict = await inquiry.run(source.signal, () => witness.readClosed(inquiry), trace)
    trace?.settled(settledRead(inquiry, verdict))
    const rule = verdict.kind === 'agreed' ? verdict.rule : reasonOf(inquiry, verdict)
    const detail = { rule, requestId: caller.requestId?.() }
    events.readSettled(read.id, verdict.kind, (clock.now() - started) / 1000, detail)
    if (verdict.kind !== 'agreed') {
      const undecided = undecidedAnswer(inquiry, verdict)
      if (undecided !== undefined) return { answer: undecided, lifetime: undefined, sharedInRedis: false }
      // A path, or a part of the history, is certainly gone only when every voter has replied: a
      // late scan may still have it.
      if (mayBeMissing(inquiry)) await inquiry.over
      const error = notAgreed(inquiry, this.#deps.connections, clock.now())
      if (error.code === 'tooManyReads') events.readRejected(read.id, 'asks')
      throw error
    }
    const isFollowed = inquiry.nextPage(verdict) !== undefined
    if (isFollowed) await inquiry.overWithin(Math.max(leastGraceMs, clock.now() - started))
    const agreed = await agreedAnswer(inquiry, verdict)
    held[Symbol.dispose]()
    const answer = (await this.#rollback?.check({ inquiry, agreed, source }, caller)) ?? agreed
    // Some of the replies may have waited in this machine while it slept.
    if (isClockStepped(begun, momentOf(clock))) throw new SpliceError('behind', {}, { retryAfter: 1 })
    this.#mirror?.agreed(inquiry.question, answer)
    if (inquiry.question.page !== undefined) return { answer, lifetime: undefined, sharedInRedis: false }
    if (isFollowed) return { answer, lifetime: shortLived, sharedInRedis: false }
    return { answer, ...this.lifetimeOf(read, answer) }
  }

  #cachedAnswer(question: Question, asked: Question, roster: Roster, caller: Caller): MaybePromise<Served> {
    const { answers, invalidations } = this.#deps
    const { read, params } = question
    const { trustDigest } = roster
    // If another roster or threshold came back later, what it agreed on would be older than what was
    // served meanwhile.
    if (this.#trust !== undefined && this.#trust !== trustDigest) invalidations.forgetHere()
    this.#trust = trustDigest
    const key = cacheKey(trustDigest, read.id, params)
    const load: Load = (source, purpose) => {
      const inquiry = new Inquiry(asked, roster, this.#options.inquiry, this.#deps)
      return this.#load(inquiry, source, purpose, caller)
    }
    const isBehind: IsBehind = (stored) => this.#rollback?.isBehind(question, roster, stored) ?? false
    const served = answers.get(key, load, caller, isBehind)
    if (!(served instanceof Promise)) return served
    return served.catch((error: unknown) => {
      if (!(error instanceof TooManyLoads)) throw error
      this.#deps.events.readRejected(read.id, 'reads')
      throw new SpliceError('tooManyReads', {}, { retryAfter: 1, cause: error })
    })
  }
}

function settledRead({ plan }: Inquiry, verdict: Verdict): SettledRead {
  const agreed = verdict.kind === 'agreed' ? verdict.members.length : 0
  return { outcome: verdict.kind, rule: verdict.rule, agreed, asked: plan.asked }
}

/**
 * Rejects a request whose `notBefore` is in the future: no quorum can have agreed on an answer after
 * that time.
 * @throws SpliceError `behind`
 */
function requireWithinReach(
  notBefore: number,
  { receivedAt }: CacheCaller,
  clock: Pick<Clock, 'wall'>,
): void {
  const wall = receivedAt?.wall ?? clock.wall()
  if (notBefore <= wall) return
  const seconds = Math.ceil((notBefore - wall) / 1000)
  throw new SpliceError('behind', {}, seconds <= longestWaitSeconds ? { retryAfter: seconds } : {})
}

export interface ReadLifetimes {
  readonly value: Lifetime
  readonly absence: Lifetime
}

interface ConfiguredTimes {
  readonly freshMs?: number
  readonly staleMs?: number
  readonly absentMs?: number
}

/** Returns by read id how long caches keep an answer: as configured, or as the read says. */
export function lifetimesOf(
  configured: Readonly<Record<string, ConfiguredTimes>>,
): Readonly<Record<string, ReadLifetimes>> {
  const times = Object.values(reads).map(({ id, cache }) => {
    const own = configured[id]
    const absentMs = own?.absentMs ?? milliseconds(cache.absent)
    const value = {
      freshMs: own?.freshMs ?? milliseconds(cache.fresh),
      staleMs: own?.staleMs ?? milliseconds(cache.stale),
    }
    return [id, { value, absence: { freshMs: absentMs, staleMs: absentMs } }] as const
  })
  return Object.fromEntries(times)
}

/**
 * Returns the JSON of the agreed answer; undefined for an agreed absence.
 * @throws SpliceError if the super validators do not agree, or cannot be asked
 */
export async function agreedValue(reader: Pick<Reader, 'answer'>, question: Question): Promise<unknown> {
  const { answer } = await reader.answer(question)
  return answer.kind === 'value' ? parseJsonText(answer.body.toString()) : undefined
}
