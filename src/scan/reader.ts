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
import { cacheKey } from '../cache/key.ts'
import { type QuorumReached, SpliceError } from '../errors/splice.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { meets } from '../quorum/electorate.ts'
import { isOwnLimit, type Reply } from '../quorum/reply.ts'
import { tally } from '../quorum/tally.ts'
import type { Verdict } from '../quorum/verdict.ts'
import { lacksPath, type Question, type Read } from '../reads/read.ts'
import type { ReadLimit } from '../telemetry/catalogue.ts'
import type { SettledRead, Traces } from '../telemetry/traces.ts'
import { agreedAnswer, agreedDigest, undecidedAnswer, versionedAnswer } from './agreed-answer.ts'
import { outcomeAmongAll } from './disagreement.ts'
import type { Discovery } from './discovery.ts'
import type { DissentOutcome } from './evidence-log.ts'
import { historyProblem } from './history-problem.ts'
import { Inquiry, type InquiryDeps, type InquiryOptions } from './inquiry.ts'
import type { MirroredReads } from './mirrored-reads.ts'
import { presentRoster, retryAfterSeconds } from './present-roster.ts'
import { quorumOfNobody, quorumReached } from './quorum-reached.ts'
import type { Contradiction } from './rechecks.ts'
import { RollbackCheck, type RollbackDeps } from './rollback-check.ts'
import { requireWithinReach } from './within-reach.ts'
import type { Witness } from './witness.ts'

export interface ReaderOptions {
  readonly inquiry: InquiryOptions
  /** The times for which answers are fresh and stale, by read id: values and absences separately. */
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
}

export interface ReaderDeps extends InquiryDeps {
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly answers: Answers
  readonly witness: Witness
  readonly settled: (read: Read, outcome: Verdict['kind'], seconds: number, detail: SettledDetail) => void
  /**
   * Reports a read that fails because of one of this daemon's limits. `limit` tells which limit: that of
   * running reads (`reads`), or that of requests to scans that run or wait (`asks`).
   */
  readonly overloaded: (read: Read, limit: ReadLimit) => void
  readonly traces?: Traces | undefined
  /** Keeps answers from going back in time. If absent, any agreed answer is served. */
  readonly rollback?: Pick<RollbackDeps, 'guard' | 'heldUp'>
  /** The mirror of names; absent if there is none. It is tried before the caches. */
  readonly mirror?: MirroredReads | undefined
}

/** The rule that decided a read, and the request that caused it. */
export interface SettledDetail {
  readonly rule: string
  readonly requestId?: string | undefined
}

export interface Caller extends CacheCaller {
  /**
   * The value of the caller's W3C header `traceparent`. A load that several callers share carries that of the
   * first caller.
   */
  readonly traceParent?: string | undefined
}

/**
 * The cache times of an answer of which only a part was agreed: a list item by item, or the beginning of a history.
 * Such an answer is never stored in Redis (quorum.md#lists-item-by-item).
 */
const partlyAgreed: Lifetime = { freshMs: 5_000, staleMs: 5_000 }

/**
 * Answers questions with the answer of a quorum: from the mirror, from a cache, or by asking the super validators.
 */
export class Reader implements Disposable {
  readonly #options: ReaderOptions
  readonly #deps: ReaderDeps
  /** The controllers of all loads that still wait for replies, including late replies to reads that are answered. */
  readonly #open = new Set<AbortController>()
  readonly #rollback: RollbackCheck | undefined

  constructor(options: ReaderOptions, deps: ReaderDeps) {
    this.#options = options
    this.#deps = deps
    const { rollback } = deps
    if (rollback !== undefined)
      this.#rollback = new RollbackCheck(options.inquiry, { ...deps, ...rollback, open: this.#open })
  }

  /**
   * Returns the quorum's answer: from the mirror or from memory at once, else from Redis or from the super
   * validators.
   * @throws SpliceError `noRosterYet`, `thresholdAboveRoster`, `tooManyReads`, `notEnoughScans`, `scansHeldBack`,
   * `noConsensus`, `goneFromScans`, `historyNotLoaded`, `historyNotKept`, `behind`, `notEncoded`; the signal's reason;
   * the error that `beforeLoad` throws.
   */
  answer(question: Question, caller: Caller = {}): MaybePromise<Served> {
    requireWithinReach(caller, this.#deps.clock)
    const roster = presentRoster(this.#deps.discovery)
    const mirrored = this.#deps.mirror?.find(question, caller.at, caller.notBefore)
    if (mirrored !== undefined) return mirrored
    const key = cacheKey(roster.trustDigest, question.read.id, question.params)
    const load: Load = (source, purpose) => {
      const inquiry = new Inquiry(question, roster, this.#options.inquiry, this.#deps)
      return this.#load(inquiry, source, purpose, caller)
    }
    return this.#withoutTooManyLoads(question.read, () => this.#deps.answers.get(key, load, caller))
  }

  /**
   * Returns the counts for a read that failed before the daemon asked any super validator. Undefined without
   * a roster.
   */
  quorumOfNobody(read: Read): QuorumReached | undefined {
    const { roster } = this.#deps.discovery
    return roster && quorumOfNobody(roster, read.id)
  }

  /**
   * Puts a question to the roster without the mirror and without any cache, and records nothing. Returns the digest
   * of the canonical form of the agreed answer, or undefined without agreement.
   */
  async agreedNow(question: Question, signal: AbortSignal): Promise<string | undefined> {
    const roster = presentRoster(this.#deps.discovery)
    const inquiry = new Inquiry(question, roster, this.#options.inquiry, this.#deps)
    using _ = inquiry.hold()
    const verdict = await inquiry.run(signal, nothing, nothing)
    return verdict.kind === 'agreed' ? await agreedDigest(inquiry, verdict) : undefined
  }

  /**
   * Puts a question to the roster without the mirror and without any cache, and stores the answer in none of
   * them. Returns the agreed answer, or undefined without agreement. Votes and disagreements are recorded
   * like those of any read.
   */
  async liveAnswer(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const roster = presentRoster(this.#deps.discovery)
    const inquiry = new Inquiry(question, roster, this.#options.inquiry, this.#deps)
    using _ = inquiry.hold()
    const verdict = await inquiry.run(signal, () => this.#deps.witness.closed(inquiry), nothing)
    return verdict.kind === 'agreed' ? await agreedAnswer(inquiry, verdict) : undefined
  }

  /**
   * Puts a question to every super validator, without any cache, to find out whether a contradiction was a
   * lie or lag (quorum.md#lag-is-not-a-lie).
   */
  async amongAll({ question, voter, agreed }: Contradiction, signal: AbortSignal): Promise<DissentOutcome> {
    const roster = presentRoster(this.#deps.discovery)
    const inquiry = new Inquiry(question, roster, { ...this.#options.inquiry, fanout: 'all' }, this.#deps)
    using _ = inquiry.hold()
    const over = Promise.withResolvers<void>()
    const verdict = await inquiry.run(signal, over.resolve, over.resolve)
    await over.promise
    if (signal.aborted) throw signal.reason
    await inquiry.ballots.compare()
    const index = roster.voters.findIndex(({ names }) => names[0] === voter.names[0])
    return outcomeAmongAll(inquiry, verdict, index, agreed)
  }

  /** Returns for how long caches keep an answer, and which of them. Its `lifetime` is undefined if none does. */
  lifetimeOf(read: Read, answer: Answer): { lifetime: Lifetime | undefined; sharedInRedis: boolean } {
    const oneRefusal = answer.kind === 'absence' && answer.agreement.agreed.length === 1
    if (oneRefusal) return { lifetime: undefined, sharedInRedis: false }
    if (!answer.agreement.complete) return { lifetime: partlyAgreed, sharedInRedis: false }
    const times = this.#options.times[read.id]
    if (times === undefined) throw new Error(`no cache times for ${read.id}`)
    return { lifetime: answer.kind === 'value' ? times.value : times.absence, sharedInRedis: true }
  }

  /** Aborts the requests of all open loads, including late ones of reads that are already answered. */
  [Symbol.dispose](): void {
    for (const source of this.#open) source.abort(new Error('the reader is closing'))
  }

  async #load(inquiry: Inquiry, source: AbortController, purpose: Purpose, caller: Caller): Promise<Loaded> {
    const { clock, settled, witness, traces } = this.#deps
    const { read } = inquiry
    const { threshold, n } = inquiry.electorate.superValidators
    if (threshold > n) {
      throw new SpliceError(
        'thresholdAboveRoster',
        { threshold, voters: n },
        { retryAfter: retryAfterSeconds },
      )
    }
    const started = clock.now()
    this.#open.add(source)
    let isOver = false
    let over = nothing
    const ended = () => {
      this.#open.delete(source)
      isOver = true
      over()
    }
    const closed = () => {
      ended()
      witness.closed(inquiry)
    }
    const cache = purpose === 'answer' ? 'miss' : 'stale'
    const trace = traces?.read(read.id, { threshold, voters: n, cache }, caller.traceParent)
    using held = inquiry.hold()
    const verdict = await inquiry.run(source.signal, closed, ended, trace)
    trace?.settled(settledRead(inquiry, verdict))
    const { kind, rule } = verdict
    settled(read, kind, (clock.now() - started) / 1000, { rule, requestId: caller.requestId?.() })
    if (verdict.kind !== 'agreed') {
      const undecided = verdict.kind === 'undecided' ? undecidedAnswer(inquiry) : undefined
      if (undecided !== undefined) return { answer: undecided, lifetime: undefined, sharedInRedis: false }
      // Only after every reply is it certain that a path or a part of the history is gone: a late scan may
      // still have it.
      if (!isOver && (mayBeGone(inquiry) || mayBePruned(inquiry))) {
        await new Promise<void>((resolve) => {
          over = resolve
        })
      }
      const error = historyProblem(inquiry, this.#deps.connections, clock.now()) ?? notAgreed(inquiry)
      if (error.code === 'tooManyReads') this.#deps.overloaded(read, 'asks')
      throw error
    }
    const agreed = await versionedAnswer(inquiry, verdict)
    held[Symbol.dispose]()
    const answer = (await this.#rollback?.check({ inquiry, agreed, source }, caller)) ?? agreed.answer
    this.#deps.mirror?.agreed(inquiry.question, answer)
    return { answer, ...this.lifetimeOf(read, answer) }
  }

  /** Calls `get`, and converts a `TooManyLoads` into the error that callers see. */
  #withoutTooManyLoads(read: Read, get: () => MaybePromise<Served>): MaybePromise<Served> {
    const served = get()
    if (!(served instanceof Promise)) return served
    return served.catch((error: unknown) => {
      if (!(error instanceof TooManyLoads)) throw error
      this.#deps.overloaded(read, 'reads')
      throw new SpliceError('tooManyReads', {}, { retryAfter: 1, cause: error })
    })
  }
}

const nothing = () => {}

function settledRead({ plan }: Inquiry, verdict: Verdict): SettledRead {
  const agreed = verdict.kind === 'agreed' ? verdict.members.length : 0
  return { outcome: verdict.kind, rule: verdict.rule, agreed, asked: plan.asked }
}

/**
 * Whether the requested part of the history may be missing at all scans: the read is about history, and at least one
 * scan abstained.
 */
function mayBePruned({ read, plan }: Inquiry): boolean {
  return read.holders !== undefined && plan.heard.some((reply) => reply?.kind === 'abstention')
}

/**
 * Whether the path may be gone: at least `n - f` voters, or all if there are fewer, report that they lack it, and
 * each of the others failed or has not replied.
 */
function mayBeGone({ plan, electorate }: Inquiry): boolean {
  const { n, f } = electorate.superValidators
  const lacking = plan.heard.filter((reply) => reply?.kind === 'abstention' && lacksPath(reply.reason)).length
  const isOther = (reply: Reply | undefined) =>
    reply !== undefined && reply.kind !== 'fault' && !(reply.kind === 'abstention' && lacksPath(reply.reason))
  return lacking >= Math.min(n - f, electorate.voters.length) && !plan.heard.some(isOther)
}

/**
 * Chooses the error for a read without agreement. Splice has two error texts (BftScanConnection.scala): too few scans
 * can be used, or their replies differ. If all scans lack a path, the error says so, because a retry cannot help. If
 * this daemon's own capacity prevented agreement, the error does not blame the scans.
 */
function notAgreed(inquiry: Inquiry): SpliceError {
  const { read, plan, electorate } = inquiry
  const { threshold, n: total } = electorate.superValidators
  if (mayBeGone(inquiry) && plan.heard.every((reply) => reply !== undefined))
    return new SpliceError('goneFromScans', { path: read.scanPath })
  const quorum = quorumReached(inquiry)
  if (isOverloaded(inquiry)) return new SpliceError('tooManyReads', {}, { retryAfter: 1, quorum })
  const { usable } = inquiry
  if (usable < threshold) return tooFew(inquiry, { usable, total, threshold }, quorum)
  return new SpliceError('noConsensus', { asked: plan.asked, threshold }, { quorum })
}

/**
 * Whether this daemon's own capacity prevented agreement: a reply is `busy`, and some group would reach the threshold
 * with the voters that the daemon's limits left out.
 */
function isOverloaded({ plan, electorate }: Inquiry): boolean {
  const isBusy = plan.heard.some((reply) => reply?.kind === 'fault' && reply.fault === 'busy')
  if (!isBusy) return false
  const own = plan.heard.flatMap((reply, index) => (reply !== undefined && isOwnLimit(reply) ? [index] : []))
  const { values, refusals } = tally(electorate, plan.heard)
  const groups = [[], ...[...values, ...refusals].map(({ members }) => members)]
  return groups.some((members) => meets(electorate, members, own))
}

/** The maximum of `retryAfter` in seconds, even if scans ask for a longer pause. */
const longestRetrySeconds = 60

function tooFew(
  inquiry: Inquiry,
  values: { readonly usable: number; readonly total: number; readonly threshold: number },
  quorum: QuorumReached,
): SpliceError {
  const waits = inquiry.heldBack()
  const heldBack = waits.length
  // A caller can retry once enough pauses are over, so the wait is that of the last super validator still
  // needed.
  const waitMs = waits[values.threshold - values.usable - 1]
  if (waitMs === undefined) return new SpliceError('notEnoughScans', values, { quorum })
  const retryAfter = Math.min(longestRetrySeconds, Math.max(1, Math.ceil(waitMs / 1000)))
  return new SpliceError('scansHeldBack', { ...values, heldBack }, { retryAfter, quorum })
}
