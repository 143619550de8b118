import { type QuorumReached, SpliceError } from '../../base/errors/splice.ts'
import { type Clock, isClockStepped, milliseconds, momentOf } from '../../base/lib/clock.ts'
import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { Traces } from '../../base/telemetry/traces.ts'
import type { Agreement } from '../cache/agreement.ts'
import type { Answer, Lifetime } from '../cache/answer.ts'
import {
  type Answers,
  type CacheCaller,
  type Load,
  type Loaded,
  type Purpose,
  type Served,
  TooManyLoads,
} from '../cache/answers.ts'
import type { InvalidationLog } from '../cache/invalidation-log.ts'
import { cacheKey } from '../cache/key.ts'
import type { IsBehind } from '../cache/store.ts'
import type { RollbackGuard } from '../guard/rollback-guard.ts'
import type { Question, Read } from '../reads/read.ts'
import { reads } from '../reads/table.ts'
import { agreedAnswer, undecidedAnswer } from './agreed-answer.ts'
import type { Witness } from './disagreement.ts'
import { type Discovery, requiredRoster } from './discovery.ts'
import type { Inquiries } from './inquiry.ts'
import type { MirroredReads } from './mirrored-reads.ts'
import { mayBeMissing, notAgreed, quorumOfNobody, reasonOf, thresholdProblem } from './not-agreed.ts'
import type { PageTokens } from './page-tokens.ts'
import { RollbackCheck } from './rollback-check.ts'
import type { Roster } from './roster.ts'

const longestWaitSeconds = 60

export interface ReaderOptions {
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
}

export interface ReaderDeps {
  readonly clock: Clock
  readonly inquiries: Inquiries
  readonly pages: PageTokens
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly answers: Answers
  readonly invalidations: Pick<InvalidationLog, 'forgetHere'>
  readonly witness: Pick<Witness, 'withdrawn'>
  readonly events: Pick<Events, 'readSettled' | 'readRejected' | 'heldUp'>
  readonly traces?: Traces | undefined
  readonly guard?: RollbackGuard | undefined
}

interface Wanted {
  readonly signal: AbortSignal
  readonly purpose: Purpose
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
export class Reader {
  readonly #options: ReaderOptions
  readonly #deps: ReaderDeps
  readonly #rollback: RollbackCheck | undefined
  #mirror: MirroredReads | undefined
  #trust: string | undefined

  constructor(options: ReaderOptions, deps: ReaderDeps) {
    this.#options = options
    this.#deps = deps
    const { guard } = deps
    if (guard !== undefined) this.#rollback = new RollbackCheck({ ...deps, guard })
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
    // What the mirror knows raises the floor, also where the mirror may not answer this caller.
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
    const { discovery, inquiries } = this.#deps
    using inquiry = inquiries.ask(question, requiredRoster(discovery), signal)
    const verdict = await inquiry.decided
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

  async #load(
    question: Question,
    roster: Roster,
    { signal, purpose }: Wanted,
    caller: Caller,
  ): Promise<Loaded> {
    const { clock, events, inquiries, traces } = this.#deps
    const { read } = question
    const electorate = roster.electorate(read.id)
    const { threshold, n: voters } = electorate.superValidators
    if (threshold > electorate.voters.length) throw thresholdProblem(electorate)
    const trace =
      traces &&
      (() => {
        const about = { threshold, voters, cache: purpose === 'answer' ? 'miss' : 'stale' } as const
        return traces.read(read.id, about, caller.traceParent)
      })
    using inquiry = inquiries.ask(question, roster, signal, { trace, isForCaller: true })
    const { begun } = inquiry
    const verdict = await inquiry.decided
    const undecided = verdict.kind === 'agreed' ? undefined : undecidedAnswer(inquiry, verdict)
    const rule = verdict.kind === 'agreed' ? verdict.rule : reasonOf(inquiry, verdict)
    const detail = { rule, requestId: caller.requestId?.() }
    const outcome = undecided === undefined ? verdict.kind : 'undecided'
    events.readSettled(read.id, outcome, (clock.now() - begun.now) / 1000, detail)
    if (verdict.kind !== 'agreed') {
      if (undecided !== undefined) return { answer: undecided, lifetime: undefined, sharedInRedis: false }
      // A path, or a part of the history, is certainly gone only when every voter has replied: a
      // late scan may still have it.
      if (mayBeMissing(inquiry)) await inquiry.whenOver()
      const error = notAgreed(inquiry, clock.now())
      if (error.code === 'tooManyReads') events.readRejected(read.id, 'asks')
      throw error
    }
    const isFollowed = inquiry.nextPage(verdict) !== undefined
    if (isFollowed) await inquiry.whenOver(Math.max(leastGraceMs, clock.now() - begun.now))
    const agreed = await agreedAnswer(inquiry, verdict)
    inquiry[Symbol.dispose]()
    const answer = (await this.#rollback?.check({ question, roster, agreed, signal }, caller)) ?? agreed
    // Some of the replies may have waited in this machine while it slept.
    if (isClockStepped(begun, momentOf(clock))) throw new SpliceError('behind', {}, { retryAfter: 1 })
    this.#mirror?.agreed(question, answer)
    if (question.page !== undefined) return { answer, lifetime: undefined, sharedInRedis: false }
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
    const load: Load = (signal, purpose) => this.#load(asked, roster, { signal, purpose }, caller)
    const isBehind: IsBehind = (stored) => this.#rollback?.isBehind(question, roster, stored) ?? false
    const served = answers.get(key, load, caller, isBehind)
    if (!(served instanceof Promise)) return served
    return served.catch((error: unknown) => {
      if (error instanceof TooManyLoads) this.#deps.events.readRejected(read.id, 'reads')
      throw error
    })
  }
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
