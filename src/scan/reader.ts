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
import { SpliceError } from '../errors/splice.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import { lacksPath, type Question, type Read } from '../reads/read.ts'
import type { SettledRead, Traces } from '../telemetry/traces.ts'
import { agreedAnswer, agreedDigest, undecidedAnswer } from './agreed-answer.ts'
import { outcomeAmongAll } from './disagreement.ts'
import type { Discovery } from './discovery.ts'
import type { DissentOutcome } from './evidence-log.ts'
import { Inquiry, type InquiryDeps, type InquiryOptions } from './inquiry.ts'
import { historyProblem } from './kept-history.ts'
import { presentRoster, retryAfterSeconds } from './present-roster.ts'
import type { Contradiction } from './rechecks.ts'
import type { Witness } from './witness.ts'

export interface ReaderOptions {
  readonly inquiry: InquiryOptions
  /** By read id: how long a value is fresh and stale, and an absence kept. */
  readonly times: Readonly<Record<string, { readonly value: Lifetime; readonly absence: Lifetime }>>
}

export interface ReaderDeps extends InquiryDeps {
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly answers: Answers
  readonly witness: Witness
  readonly settled: (read: Read, outcome: Verdict['kind'], seconds: number, rule: string) => void
  readonly traces?: Traces | undefined
}

/** Who asks. */
export interface Caller extends CacheCaller {
  /** Its W3C `traceparent`; a load that others join has that of the first. */
  readonly traceParent?: string | undefined
}

/** Lists agreed item by item live this long, and never in Redis (quorum.md#lists-item-by-item). */
const itemByItem: Lifetime = { freshMs: 5_000, staleMs: 5_000 }

/** The whole read path: from a question to what a quorum says. */
export class Reader implements Disposable {
  readonly #options: ReaderOptions
  readonly #deps: ReaderDeps
  /** Of those whose last straggler was not heard yet. */
  readonly #open = new Set<AbortController>()

  constructor(options: ReaderOptions, deps: ReaderDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * What a quorum says: from memory at once, else from Redis or from the super validators.
   * @throws SpliceError `noRosterYet`, `thresholdAboveRoster`, `tooManyReads`, `notEnoughScans`, `scansHeldBack`, `noConsensus`; the signal's
   * reason; what `mayLoad` throws.
   */
  answer(question: Question, caller: Caller = {}): MaybePromise<Served> {
    const roster = presentRoster(this.#deps.discovery)
    const key = cacheKey(roster.trustDigest, question.read.id, question.params)
    const load: Load = (source, purpose) => {
      const inquiry = new Inquiry(question, roster, this.#options.inquiry, this.#deps)
      return this.#load(inquiry, source, purpose, caller.traceParent)
    }
    return withoutTooManyLoads(() => this.#deps.answers.get(key, load, caller))
  }

  /** Digest of the canonical form of what a quorum agrees on now, past all caches; undefined where it does not. */
  async agreedNow(question: Question, signal: AbortSignal): Promise<string | undefined> {
    const roster = presentRoster(this.#deps.discovery)
    const inquiry = new Inquiry(question, roster, this.#options.inquiry, this.#deps)
    const verdict = await inquiry.run(signal, nothing, nothing)
    return verdict.kind === 'agreed' ? agreedDigest(inquiry, verdict) : undefined
  }

  /** Asks everybody, past all caches, and tells what a dissent turned out to be (quorum.md#lag-is-not-a-lie). */
  async amongAll({ question, voter, agreed }: Contradiction, signal: AbortSignal): Promise<DissentOutcome> {
    const roster = presentRoster(this.#deps.discovery)
    const inquiry = new Inquiry(question, roster, { ...this.#options.inquiry, fanout: 'all' }, this.#deps)
    const over = Promise.withResolvers<void>()
    const verdict = await inquiry.run(signal, over.resolve, over.resolve)
    await over.promise
    if (signal.aborted) throw signal.reason
    await inquiry.ballots.compare()
    const index = roster.voters.findIndex(({ names }) => names[0] === voter.names[0])
    return outcomeAmongAll(inquiry, verdict, index, agreed)
  }

  /** Ends what is still asked, stragglers of reads that were answered long ago among it. */
  [Symbol.dispose](): void {
    for (const source of this.#open) source.abort(new Error('the reader is closing'))
  }

  async #load(
    inquiry: Inquiry,
    source: AbortController,
    purpose: Purpose,
    traceParent: string | undefined,
  ): Promise<Loaded> {
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
    const trace = traces?.read(read.id, { threshold, voters: n, cache }, traceParent)
    const verdict = await inquiry.run(source.signal, closed, ended, trace)
    trace?.settled(settledRead(inquiry, verdict))
    settled(read, verdict.kind, (clock.now() - started) / 1000, verdict.rule)
    if (verdict.kind !== 'agreed') {
      const undecided = verdict.kind === 'undecided' ? undecidedAnswer(inquiry) : undefined
      if (undecided !== undefined) return { answer: undecided, lifetime: undefined, sharedInRedis: false }
      // Whether a path or a part of the history is gone is known when everyone was heard: some of the last may have it.
      if (!isOver && (mayBeGone(inquiry) || mayBePruned(inquiry))) {
        await new Promise<void>((resolve) => {
          over = resolve
        })
      }
      throw historyProblem(inquiry, this.#deps.connections, clock.now()) ?? notAgreed(inquiry)
    }
    const answer = await agreedAnswer(inquiry, verdict)
    return { answer, ...this.#lifetimeOf(read, answer) }
  }

  #lifetimeOf(read: Read, answer: Answer): { lifetime: Lifetime | undefined; sharedInRedis: boolean } {
    const oneRefusal = answer.kind === 'absence' && answer.agreement.agreed.length === 1
    if (oneRefusal) return { lifetime: undefined, sharedInRedis: false }
    if (!answer.agreement.complete) return { lifetime: itemByItem, sharedInRedis: false }
    const times = this.#options.times[read.id]
    if (times === undefined) throw new Error(`no cache times for ${read.id}`)
    return { lifetime: answer.kind === 'value' ? times.value : times.absence, sharedInRedis: true }
  }
}

const nothing = () => {}

/** In the words that callers are told. */
function withoutTooManyLoads(get: () => MaybePromise<Served>): MaybePromise<Served> {
  const fail = (error: unknown) => {
    if (!(error instanceof TooManyLoads)) throw error
    throw new SpliceError('tooManyReads', {}, { retryAfter: 1, cause: error })
  }
  const served = get()
  return served instanceof Promise ? served.catch(fail) : served
}

function settledRead({ plan }: Inquiry, verdict: Verdict): SettledRead {
  const agreed = verdict.kind === 'agreed' ? verdict.members.length : 0
  return { outcome: verdict.kind, rule: verdict.rule, agreed, asked: plan.asked }
}

/** Whether it may be that nobody has the part of the history that was asked for. */
function mayBePruned({ read, plan }: Inquiry): boolean {
  return read.holders !== undefined && plan.heard.some((reply) => reply?.kind === 'abstention')
}

/** Whether those that were heard lack the path, all but at most f, which are at fault or were not heard. */
function mayBeGone({ plan, electorate }: Inquiry): boolean {
  const { n, f } = electorate.superValidators
  const lacking = plan.heard.filter((reply) => reply?.kind === 'abstention' && lacksPath(reply.reason)).length
  const isOther = (reply: Reply | undefined) =>
    reply !== undefined && reply.kind !== 'fault' && !(reply.kind === 'abstention' && lacksPath(reply.reason))
  return lacking >= Math.min(n - f, electorate.voters.length) && !plan.heard.some(isOther)
}

/**
 * Splice's two texts (BftScanConnection.scala): too few could be heard, or those that were heard differ. A path that all
 * lack is gone: no outage, and nothing to try again.
 */
function notAgreed(inquiry: Inquiry): SpliceError {
  const { read, plan, electorate } = inquiry
  const { threshold, n: total } = electorate.superValidators
  if (mayBeGone(inquiry) && plan.heard.every((reply) => reply !== undefined))
    return new SpliceError('goneFromScans', { path: read.scanPath })
  const usable = plan.heard.filter((reply) => reply?.kind === 'value' || reply?.kind === 'refusal').length
  if (usable < threshold) return tooFew(inquiry, { usable, total, threshold })
  return new SpliceError('noConsensus', { asked: plan.asked, threshold })
}

/** The longest that a caller is told to wait, whatever scans ask for. */
const longestRetrySeconds = 60

function tooFew(
  inquiry: Inquiry,
  values: { readonly usable: number; readonly total: number; readonly threshold: number },
): SpliceError {
  const waits = inquiry.heldBack()
  const heldBack = waits.length
  // One super validator's pause alone tells a caller nothing: as many have to be over as are missing.
  const waitMs = waits[values.threshold - values.usable - 1]
  if (waitMs === undefined) return new SpliceError('notEnoughScans', values)
  const retryAfter = Math.min(longestRetrySeconds, Math.max(1, Math.ceil(waitMs / 1000)))
  return new SpliceError('scansHeldBack', { ...values, heldBack }, { retryAfter })
}
