import { canonicalJson, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import type { Clock } from '../lib/clock.ts'
import { InPortions } from '../lib/in-portions.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import type { FaultKind, Reply } from '../quorum/reply.ts'
import { lacksHistory } from '../reads/known-abstentions.ts'
import type { PageToken } from '../reads/read.ts'
import { maxElementsOf, upstreamOf } from '../reads/request.ts'
import { acsForms, getAcsSnapshotAtV1, pathTaking, type SnapshotContract } from '../reads/snapshots.ts'
import type { Connection } from '../scan/connections.ts'
import type { ScanResponse } from '../scan/node.ts'
import { RequestGroup } from '../scan/request-group.ts'
import { faultOfStatus, saysUnknownPath } from '../scan/response-without-value.ts'
import { usabilityOf } from '../scan/usability.ts'
import type { DrainPace, PageTimes } from './drain-pace.ts'
import { SetDigest } from './set-digest.ts'
import { readPage, recordTimeOf, type SnapshotAsked } from './snapshot-page.ts'
import { type SharedRows, SnapshotSet } from './snapshot-set.ts'

export interface ScanDrainOptions {
  readonly asked: SnapshotAsked
  readonly maxEntries: number
  readonly maxPageBytes: number
  readonly requestTimeoutMs: number
  readonly deadline: number
}

export interface ScanDrainDeps {
  readonly clock: Clock
  readonly rows: SharedRows
  readonly pace?: DrainPace | undefined
  readonly pageTimes: PageTimes
  /** Called once if a page takes longer than usual. */
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

/**
 * A scan whose snapshot has too many contracts counts as if it had sent a refusal with one of these
 * votes.
 */
export const excessVotes = { entries: 'too many entries', others: 'too many other contracts' } as const

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
const rowsAtOnce = 20
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

type Page =
  | {
      readonly kind: 'page'
      readonly contracts: readonly SnapshotContract[]
      readonly next: PageToken | undefined
    }
  /** The scan does not take the token, perhaps because its release changed. */
  | { readonly kind: 'no-such-token' }
  | Exclude<Reply, { kind: 'value' }>

class ScanDraining {
  readonly #connection: Connection
  readonly #options: ScanDrainOptions
  readonly #deps: ScanDrainDeps
  readonly #group: RequestGroup
  readonly #portions = new InPortions()
  #set: SnapshotSet
  #isSlow = false
  #bytes = 0
  #seenAt: number | undefined

  constructor(connection: Connection, options: ScanDrainOptions, deps: ScanDrainDeps) {
    this.#connection = connection
    this.#options = options
    this.#deps = deps
    this.#group = new RequestGroup(deps.signal, deps.clock)
    this.#set = new SnapshotSet(deps.rows)
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
      this.#set = new SnapshotSet(this.#deps.rows)
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
      const problem = await this.#take(page.contracts)
      if (problem !== undefined) return problem
      if (page.next === undefined) return { kind: 'value', vote: await this.#digest() }
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

  async #page(token: PageToken | undefined): Promise<Page> {
    if (!(await this.#until(() => this.#deps.pace?.isDue ?? true))) return fault('timeout')
    const cancel = this.#watch(this.#deps.clock.now())
    try {
      for (let attempts = 1; ; ) {
        if (this.#connection.rateLimit.isPaused) this.#slow(this.#deps.paused)
        if (!(await this.#until(() => this.#connection.rateLimit.hasPlenty('scan')))) return fault('timeout')
        const page = await this.#ask(token)
        if (page.kind !== 'fault') return page
        if (!postponed.has(page.fault) && (!mayPass.has(page.fault) || attempts++ >= mostAttempts))
          return page
        await this.#pause()
      }
    } finally {
      cancel()
    }
  }

  /** @returns false if the time of the drain is up. */
  async #until(isMet: () => boolean): Promise<boolean> {
    const { clock, signal } = this.#deps
    for (;;) {
      signal.throwIfAborted()
      if (clock.now() >= this.#options.deadline) return false
      if (isMet()) return true
      await this.#pause()
    }
  }

  /** Tells when a page is late. The usual time may become known while the page is awaited. */
  #watch(since: number): () => void {
    const { clock, pageTimes, late } = this.#deps
    const look = () => {
      if (clock.now() - since < pageTimes.lateMs) {
        cancel = clock.after(pauseMs, look)
        return
      }
      this.#connection.health.late(since)
      this.#slow(late)
    }
    let cancel = clock.after(pauseMs, look)
    return () => cancel()
  }

  #slow(tell: () => void): void {
    if (this.#isSlow) return
    this.#isSlow = true
    tell()
  }

  #pause(): Promise<void> {
    const { clock, signal } = this.#deps
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = clock.after(pauseMs, end)
      signal.addEventListener('abort', end, { once: true })
    })
  }

  async #ask(token: PageToken | undefined): Promise<Page> {
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
    if (response.kind === 'response' && response.status === 200)
      this.#deps.pageTimes.add(clock.now() - started)
    this.#connection.recordReadReply(usabilityOf(response), clock.now() - started, getAcsSnapshotAtV1.id)
    if (response.kind === 'fault') return fault(response.fault)
    this.#bytes += response.body.length
    const arrived = clock.now()
    try {
      signal.throwIfAborted()
      return this.#read(response, token !== undefined)
    } finally {
      response.release()
      this.#deps.pace?.worked(arrived)
    }
  }

  #body(token: PageToken | undefined): string {
    const body = bodyOf(this.#options.asked)
    return token === undefined ? canonicalJson(body) : canonicalJson({ ...body, after: token })
  }

  #read({ status, body }: Extract<ScanResponse, { kind: 'response' }>, hasToken: boolean): Page {
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
    const maxElements = maxElementsOf({ read: getAcsSnapshotAtV1, params: {} }, body.length)
    try {
      return readPage(parseJson(body, { maxElements }), this.#options.asked)
    } catch (error) {
      if (error instanceof MisshapenJson) return fault(error.isJson ? 'misshapen' : 'not-json')
      throw error
    }
  }

  async #take(
    contracts: readonly SnapshotContract[],
  ): Promise<Exclude<Reply, { kind: 'value' }> | undefined> {
    const began = this.#deps.clock.now()
    let isRepeated = false
    await this.#inPortions(contracts, (contract) => {
      if (!isRepeated && !this.#set.add(contract)) isRepeated = true
    })
    this.#deps.pace?.worked(began)
    if (isRepeated) return fault('wrong-answer')
    const excess = this.#set.excess(this.#options.maxEntries)
    return excess && { kind: 'refusal', vote: excessVotes[excess] }
  }

  async #digest(): Promise<string> {
    const digest = new SetDigest()
    await this.#inPortions(this.#set.rows(), (row) => digest.add(row))
    return digest.end()
  }

  /**
   * The items are handled in several turns of the event loop, so that incoming requests need not
   * wait for all of them.
   */
  async #inPortions<Item>(items: readonly Item[], each: (item: Item) => void): Promise<void> {
    const jobs: (() => void)[] = []
    for (let from = 0; from < items.length; from += rowsAtOnce)
      jobs.push(() => items.slice(from, from + rowsAtOnce).forEach(each))
    await new Promise<void>((resolve) => this.#portions.add([...jobs, resolve]))
    this.#deps.signal.throwIfAborted()
  }
}

export function bodyOf({ at, migrationId, templates, pageSize }: SnapshotAsked) {
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
