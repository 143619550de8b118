import type { FaultKind } from '../../base/errors/fault-kinds.ts'
import { canonicalJson, type Json } from '../../base/lib/canonical-json.ts'
import { type Clock, Deadlines } from '../../base/lib/clock.ts'
import type { Question } from '../reads/read.ts'
import { type Upstream, upstreamOf } from '../reads/request.ts'

/** `Connection.ask` chooses among `path` and `olderPaths`; a `ScanNode` asks at `path`. */
export interface ScanRequest extends Omit<Upstream, 'body'> {
  /** All scans that get the same body share one buffer. The client would copy a string for each scan. */
  readonly body?: string | Buffer
  /** The time limit for the whole request, including the time in the queue and for connecting. */
  readonly timeoutMs: number
  readonly traceParent?: string
}

export interface RequestLimits {
  readonly requestTimeoutMs: number
  /** The maximum size of any response in bytes. A read's own `maxBytes` applies if it is lower. */
  readonly maxResponseBytes: number
}

export function requestOf(
  question: Question,
  { requestTimeoutMs, maxResponseBytes }: RequestLimits,
): ScanRequest {
  const { body, ...upstream } = upstreamOf(question)
  return {
    ...upstream,
    ...(body !== undefined && { body: Buffer.from(body) }),
    maxBytes: Math.min(upstream.maxBytes, maxResponseBytes),
    timeoutMs: requestTimeoutMs,
  }
}

/**
 * Returns the request with which one voter is asked: if the question continues a page, with its own
 * token. Undefined if the voter gave none.
 * @param names the super validators that the voter stands for.
 */
export function requestTo(
  names: readonly string[],
  { read, page }: Question,
  request: ScanRequest,
): ScanRequest | undefined {
  if (page === undefined || read.pages === undefined) return request
  const token = names.map((name) => page.tokens.get(name)).find((one) => one !== undefined)
  if (token === undefined) return undefined
  const { olderPaths: _, ...pinned } = request
  const body = Buffer.from(canonicalJson({ ...page.body, after: token } as Json))
  return { ...pinned, path: `/api/scan${read.pages.pathTaking(token)}`, body }
}

/** The request for the release of Splice that a scan runs. */
export function releaseRequest(timeoutMs: number): ScanRequest {
  return { method: 'GET', path: '/api/scan/version', maxBytes: 65_536, timeoutMs }
}

export type TransportFault = Extract<
  FaultKind,
  | 'unreachable'
  | 'blocked'
  | 'reset'
  | 'timeout'
  | 'busy'
  | 'held-back'
  | 'oversized'
  | 'truncated'
  | 'not-json'
>

/**
 * The outcome of a request to a scan. `resent` is true if the daemon sent the request twice, because
 * a kept-alive connection closed during the first attempt.
 */
export type ScanResponse =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly body: Buffer
      readonly resent?: boolean
      /**
       * Frees the body's bytes in the node's budget. The caller must call `release` exactly once,
       * when it no longer needs the body.
       */
      release(): void
    }
  | {
      readonly kind: 'fault'
      readonly fault: TransportFault
      readonly detail: string
      readonly code?: string | undefined
      readonly resent?: boolean
    }

/**
 * One scan node. `ask` resolves for every fault of the node, such as a time-out, because the quorum
 * counts a fault as a reply. `ask` rejects only when the group is aborted.
 */
export interface ScanNode extends AsyncDisposable {
  readonly url: string
  readonly isConnected: boolean
  ask(request: ScanRequest, group: RequestGroup): Promise<ScanResponse>
  warm(): void
}

export interface Grouped {
  expire(): void
  abort(reason: unknown): void
}

/**
 * The requests in flight of one read, or of one other task such as a probe. All of them share one
 * timer and one listener on the signal, to save work.
 */
export class RequestGroup {
  readonly #signal: AbortSignal
  readonly #requests: Deadlines<Grouped>
  #isAborted = false
  #reason: unknown

  constructor(signal: AbortSignal, clock: Clock) {
    this.#signal = signal
    this.#requests = new Deadlines(clock, (request) => request.expire())
  }

  get isAborted(): boolean {
    return this.#isAborted || this.#signal.aborted
  }

  get reason(): unknown {
    return this.#isAborted ? this.#reason : this.#signal.reason
  }

  add(request: Grouped, timeoutMs: number): void {
    if (this.#requests.isEmpty) this.#signal.addEventListener('abort', this, once)
    this.#requests.add(request, timeoutMs)
  }

  remove(request: Grouped): void {
    this.#requests.remove(request)
    if (this.#requests.isEmpty) this.#signal.removeEventListener('abort', this)
  }

  /** `AbortSignal` calls this method when it aborts. */
  handleEvent(): void {
    this.abort(this.#signal.reason)
  }

  abort(reason: unknown): void {
    this.#isAborted = true
    this.#reason = reason
    for (const request of this.#requests.items) request.abort(reason)
  }
}

const once = { once: true }
