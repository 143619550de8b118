import type { FaultKind } from '../base/errors/fault-kinds.ts'
import { canonicalJson } from '../base/lib/canonical-json.ts'
import type { Clock } from '../base/lib/clock.ts'
import { parseJsonText } from '../base/lib/parse-json-text.ts'
import { passing } from '../base/lib/passing.ts'
import { workerFile } from '../base/lib/worker-file.ts'
import type { Reply } from '../core/quorum/reply.ts'
import type { PageToken, Params } from '../core/reads/read.ts'
import { lacksHistory } from '../core/reads/replies.ts'
import { bodyParam, upstreamOf } from '../core/reads/request.ts'
import { acsForms, getAcsSnapshotAtV1, pathTaking } from '../core/reads/snapshots.ts'
import type { Connection } from '../core/scan/connections.ts'
import { usabilityOf } from '../core/scan/health.ts'
import type { JudgeJob } from '../core/scan/judge-job.ts'
import { JudgeFailed, type JudgeThread } from '../core/scan/judge-thread.ts'
import { faultOfStatus, saysUnknownPath } from '../core/scan/judgement.ts'
import { RequestGroup, type ScanResponse } from '../core/scan/node.ts'
import { type JudgedPage, judgedPage, judgedSet, recordTimeOf, type SnapshotAsked } from './snapshot-page.ts'
import { SnapshotSet } from './snapshot-set.ts'

const file = workerFile(import.meta.url, 'snapshot-page').href

export interface ScanDrainOptions {
  readonly asked: SnapshotAsked
  readonly maxEntries: number
  readonly maxPageBytes: number
  readonly requestTimeoutMs: number
  readonly deadline: number
  /** Rows of up to this many bytes are kept. */
  readonly mostKept: number
}

export interface ScanDrainDeps {
  readonly clock: Clock
  readonly judge: JudgeThread
  /** Called once if a page takes longer than one request may (`requestTimeoutMs`). */
  readonly late: () => void
  /** Called once if the scan asks for a pause. */
  readonly paused: () => void
  readonly signal: AbortSignal
}

export interface ScanDrain {
  readonly reply: Reply
  readonly set: SnapshotSet | undefined
  readonly bytes: number
  /** The value of `Clock.wall()` when the first page arrived. The scan had the snapshot by then. */
  readonly seenAt: number | undefined
  readonly seconds: number
}

/** A scan whose snapshot has too many entries counts as if it had sent a refusal with this vote. */
const excessVote = 'too many entries'

/** The reason why a scan abstains whose release knows no form of the snapshot. */
const unknownPath = 'The requested resource could not be found.'
const pauseMs = 250
/**
 * How often a page is requested if each request fails with a fault in `mayPass`. Faults in
 * `postponed` do not count. Any other fault ends the drain of this scan.
 */
const mostAttempts = 3
const mayPass: ReadonlySet<FaultKind> = new Set(['reset', 'timeout', 'truncated', 'server-error'])
/**
 * The faults of requests that the daemon did not send because of its own limits, or that the scan
 * rejected because of its rate limit.
 */
const postponed: ReadonlySet<FaultKind> = new Set(['busy', 'held-back', 'rate-limited'])
/** How often a drain begins anew because the scan no longer takes its own token. */
const mostRestarts = 2
const { path, olderPaths = [] } = upstreamOf({ read: getAcsSnapshotAtV1, params: {} })
const firstPage = { path, olderPaths }
const longestReason = 200

/**
 * Reads the snapshot of one scan page by page. A request waits until more than a quarter of the
 * scan's rate limit is unused (`hasPlenty`).
 * The promise rejects only when the signal aborts.
 */
export function drainScan(
  connection: Connection,
  options: ScanDrainOptions,
  deps: ScanDrainDeps,
): Promise<ScanDrain> {
  return new ScanDraining(connection, options, deps).run()
}

type DrainPage =
  | Extract<JudgedPage, { kind: 'page' }>
  /** The scan does not take the token, perhaps because its release changed. */
  | { readonly kind: 'no-such-token' }
  | Exclude<Reply, { kind: 'value' }>

class ScanDraining {
  readonly #connection: Connection
  readonly #options: ScanDrainOptions
  readonly #deps: ScanDrainDeps
  readonly #group: RequestGroup
  #set: SnapshotSet
  #isSlow = false
  #bytes = 0
  #seenAt: number | undefined

  constructor(connection: Connection, options: ScanDrainOptions, deps: ScanDrainDeps) {
    this.#connection = connection
    this.#options = options
    this.#deps = deps
    this.#group = new RequestGroup(deps.signal, deps.clock)
    this.#set = new SnapshotSet(options.mostKept)
  }

  async run(): Promise<ScanDrain> {
    const { clock } = this.#deps
    const started = clock.now()
    const reply = await this.#drain()
    const set = reply.kind === 'value' ? this.#set : undefined
    const seconds = (clock.now() - started) / 1000
    return { reply, set, bytes: this.#bytes, seenAt: this.#seenAt, seconds }
  }

  async #drain(): Promise<Reply> {
    for (let restarts = 0; restarts <= mostRestarts; restarts++) {
      const reply = await this.#follow()
      if (reply !== 'no-such-token') return reply
      this.#set = new SnapshotSet(this.#options.mostKept)
    }
    return fault('unexpected-status')
  }

  async #follow(): Promise<Reply | 'no-such-token'> {
    const tokens = new Set<PageToken>()
    let token: PageToken | undefined
    for (let pages = 0; pages < this.#mostPages; pages++) {
      const page = await this.#page(token)
      if (page.kind === 'no-such-token') return page.kind
      if (page.kind !== 'page') return page
      this.#seenAt ??= this.#deps.clock.wall()
      this.#set.add(page)
      if (this.#set.entries > this.#options.maxEntries) return { kind: 'refusal', vote: excessVote }
      if (this.#set.hasTooManyOthers) return fault('wrong-answer')
      if (page.next === undefined) return this.#voted()
      // A repeated token leads back to an earlier page, so the pages would never end.
      if (tokens.has(page.next)) return fault('wrong-answer')
      tokens.add(page.next)
      token = page.next
    }
    return fault('wrong-answer')
  }

  /**
   * The largest number of pages that are read from one scan. Full pages would need less than half of
   * this number, but scans may send pages that are not full.
   */
  get #mostPages(): number {
    const { maxEntries, asked } = this.#options
    return 2 * Math.ceil(maxEntries / asked.pageSize) + 4
  }

  async #page(token: PageToken | undefined): Promise<DrainPage> {
    const { clock, signal } = this.#deps
    const cancel = this.#watch(clock.now())
    try {
      for (let attempts = 1; ; await passing(pauseMs, clock, signal)) {
        signal.throwIfAborted()
        if (clock.now() >= this.#options.deadline) return fault('timeout')
        const { rateLimit } = this.#connection
        if (rateLimit.isPaused) this.#slow(this.#deps.paused)
        if (!rateLimit.hasPlenty('scan')) continue
        const page = await this.#ask(token)
        if (page.kind !== 'fault') return page
        if (!postponed.has(page.fault) && (!mayPass.has(page.fault) || attempts++ >= mostAttempts))
          return page
      }
    } finally {
      cancel()
    }
  }

  #watch(since: number): () => void {
    const { clock, late } = this.#deps
    return clock.after(this.#options.requestTimeoutMs, () => {
      this.#connection.health.late(since)
      this.#slow(late)
    })
  }

  #slow(tell: () => void): void {
    if (this.#isSlow) return
    this.#isSlow = true
    tell()
  }

  async #ask(token: PageToken | undefined): Promise<DrainPage> {
    const { clock, signal } = this.#deps
    const { requestTimeoutMs: timeoutMs, maxPageBytes: maxBytes, deadline } = this.#options
    const started = clock.now()
    this.#connection.health.asked(started)
    const request = {
      // A token goes back to the path of the form that it came in.
      ...(token === undefined ? firstPage : { path: `/api/scan${pathTaking(token, acsForms)}` }),
      method: 'POST',
      body: this.#body(token),
      maxBytes,
      timeoutMs: Math.min(timeoutMs, deadline - started),
    } as const
    const response = await this.#connection.ask(request, this.#group)
    this.#connection.record(usabilityOf(response), clock.now() - started, getAcsSnapshotAtV1.id)
    if (response.kind === 'fault') return fault(response.fault)
    this.#bytes += response.body.length
    try {
      signal.throwIfAborted()
      return await this.#read(response, token !== undefined)
    } finally {
      response.release()
    }
  }

  #body(token: PageToken | undefined): string {
    const body = bodyOf(this.#options.asked)
    return token === undefined ? canonicalJson(body) : canonicalJson({ ...body, after: token })
  }

  async #read(
    { status, body }: Extract<ScanResponse, { kind: 'response' }>,
    hasToken: boolean,
  ): Promise<DrainPage> {
    const isUnknown = saysUnknownPath(status, body)
    if (hasToken && (status === 400 || isUnknown)) return { kind: 'no-such-token' }
    if (isUnknown) {
      this.#connection.doubtRelease()
      return { kind: 'abstention', reason: unknownPath }
    }
    if (status === 404) return { kind: 'abstention', reason: errorIn(body) ?? 'not found' }
    const text = status === 503 ? errorIn(body) : undefined
    if (text !== undefined && lacksHistory(text)) return { kind: 'abstention', reason: text }
    if (status !== 200) return fault(faultOfStatus(status))
    return this.#judge({ file, work: judgedPage, bodies: [body], input: this.#options.asked })
  }

  async #voted(): Promise<Reply> {
    const set = await this.#judge({ file, work: judgedSet, bodies: this.#set.hashes, input: undefined })
    if ('kind' in set) return set
    return set.isRepeated ? fault('wrong-answer') : { kind: 'value', vote: set.digest }
  }

  async #judge<Input, Result>(job: JudgeJob<Input, Result>): Promise<Result | ReturnType<typeof fault>> {
    const { judge, signal } = this.#deps
    const judged = await judge.work(job, this.#connection.node.url).catch(faultOfFailure)
    signal.throwIfAborted()
    return judged
  }
}

function faultOfFailure(error: unknown): ReturnType<typeof fault> {
  if (error instanceof JudgeFailed) return fault(error.blame === 'body' ? 'misshapen' : 'busy')
  throw error
}

export function paramsOf(asked: SnapshotAsked): Params {
  return { [bodyParam]: canonicalJson(bodyOf(asked)) }
}

function bodyOf({ at, migrationId, templates, pageSize }: SnapshotAsked) {
  return {
    migration_id: migrationId,
    page_size: pageSize,
    record_time: recordTimeOf(at),
    record_time_match: 'exact',
    templates,
  } as const
}

function errorIn(body: Buffer): string | undefined {
  try {
    const { error } = parseJsonText(body.toString('utf8', 0, 65_536)) as { readonly error?: unknown }
    return typeof error === 'string' ? error.slice(0, longestReason) : undefined
  } catch {
    return undefined
  }
}

function fault(kind: FaultKind): Extract<Reply, { kind: 'fault' }> {
  return { kind: 'fault', fault: kind }
}
