import type { Answer, Lifetime } from '../cache/answer.ts'
import {
  type Answers,
  type Load,
  type Loaded,
  type Purpose,
  type Served,
  TooManyLoads,
} from '../cache/answers.ts'
import { cacheKey } from '../cache/key.ts'
import { SpliceError } from '../errors/splice.ts'
import type { Moment } from '../lib/clock.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import { lacksPath, type Params, type Read } from '../reads/read.ts'
import type { SettledRead, Traces } from '../telemetry/traces.ts'
import { agreedAnswer, agreedDigest, undecidedAnswer } from './agreed-answer.ts'
import { outcomeAmongAll } from './disagreement.ts'
import type { Discovery } from './discovery.ts'
import type { Outcome } from './evidence-log.ts'
import { Inquiry, type InquiryDeps, type InquiryOptions } from './inquiry.ts'
import { historyProblem } from './kept-history.ts'
import { presentRoster, retryAfterSeconds } from './present-roster.ts'
import type { Contradiction } from './rechecks.ts'
import type { Roster } from './roster.ts'
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

/** One question, under whichever roster there is when it is asked. */
export interface Lookup {
  /**
   * What can be served without waiting; undefined where it has to be loaded.
   * @param at for who has asked the clock already.
   */
  peek(at?: Moment): Served | undefined
  /** What is kept, for who may cause no load; undefined where nothing can be served any more. */
  kept(): Served | undefined
  /**
   * What a quorum says, from memory, from Redis or now.
   * @param caller W3C `traceparent` that the question came with; a load that others join has that of the first.
   * @throws SpliceError `noRosterYet`, `thresholdAboveRoster`, `tooManyReads`, `notEnoughScans`, `scansHeldBack`, `noConsensus`; the signal's reason.
   */
  load(signal?: AbortSignal, caller?: string): Promise<Served>
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

  lookup(read: Read, params: Params): Lookup {
    const { discovery, answers } = this.#deps
    const keyUnder = ({ trustDigest }: Roster) => cacheKey(trustDigest, read.id, params)
    return {
      peek: (at) => {
        const { roster } = discovery
        return roster === undefined ? undefined : answers.peek(keyUnder(roster), at)
      },
      kept: () => {
        const { roster } = discovery
        return roster === undefined ? undefined : answers.kept(keyUnder(roster))
      },
      load: (signal, caller) => this.#answer(keyUnder, read, params, signal, caller),
    }
  }

  /** Digest of the canonical form of what a quorum agrees on now, past all caches; undefined where it does not. */
  async agreedNow(read: Read, params: Params, signal: AbortSignal): Promise<string | undefined> {
    const inquiry = new Inquiry(
      read,
      params,
      presentRoster(this.#deps.discovery),
      this.#options.inquiry,
      this.#deps,
    )
    const verdict = await inquiry.run(signal, nothing, nothing)
    return verdict.kind === 'agreed' ? agreedDigest(inquiry, verdict) : undefined
  }

  /** Asks everybody, past all caches, and tells what a dissent turned out to be (quorum.md#lag-is-not-a-lie). */
  async amongAll({ read, params, voter, agreed }: Contradiction, signal: AbortSignal): Promise<Outcome> {
    const roster = presentRoster(this.#deps.discovery)
    const inquiry = new Inquiry(read, params, roster, { ...this.#options.inquiry, fanout: 'all' }, this.#deps)
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

  async #answer(
    keyUnder: (roster: Roster) => string,
    read: Read,
    params: Params,
    signal: AbortSignal | undefined,
    caller: string | undefined,
  ): Promise<Served> {
    const roster = presentRoster(this.#deps.discovery)
    const load: Load = (source, purpose) => this.#load(roster, read, params, source, purpose, caller)
    try {
      return await this.#deps.answers.getOrLoad(keyUnder(roster), load, signal)
    } catch (error) {
      if (error instanceof TooManyLoads)
        throw new SpliceError('tooManyReads', {}, { retryAfter: 1, cause: error })
      throw error
    }
  }

  async #load(
    roster: Roster,
    read: Read,
    params: Params,
    source: AbortController,
    purpose: Purpose,
    caller: string | undefined,
  ): Promise<Loaded> {
    const { clock, settled, witness, traces } = this.#deps
    const inquiry = new Inquiry(read, params, roster, this.#options.inquiry, this.#deps)
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
    const trace = traces?.read(read.id, { threshold, voters: n, cache }, caller)
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
