import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import type { Clock } from '../../base/lib/clock.ts'
import { type AddressLookup, type ScanTarget, scanTarget, type UrlPolicy } from './address-guard.ts'
import type { ProxyOptions } from './forward-proxy.ts'
import type { Budget, Claim } from './in-flight-budget.ts'
import { IncomingBody } from './node.body.ts'
import {
  codeOf,
  connectorTo,
  faultOf,
  isHangUp,
  lateness,
  messageOf,
  type ScanConnector,
  type Stage,
} from './node.connect.ts'
import {
  type Grouped,
  RequestGroup,
  releaseRequest,
  type ScanNode,
  type ScanRequest,
  type ScanResponse,
  type TransportFault,
} from './node.ts'
import { ingressOf, RateLimit } from './rate-limit.ts'

export interface UndiciScanNodeOptions extends UrlPolicy {
  /**
   * The URL that the super validator published, which may be any string. If the daemon must not
   * send requests to the URL, every request fails as `blocked`.
   */
  readonly url: string
  readonly budget: Budget
  readonly rateLimit?: RateLimit
  readonly proxy?: ProxyOptions
  readonly connectTimeoutMs?: number
}

export interface UndiciScanNodeDeps {
  readonly clock: Clock
  readonly lookup?: AddressLookup
}

/**
 * The minimum `ScanRequest.maxBytes` for which the daemon asks for a gzip response. For shorter
 * bodies, decompression costs more than it saves.
 */
const gzipFromBytes = 1_048_576

/**
 * Creates the client of a scan, over HTTP/1.1 with kept-alive connections. The client does not
 * follow redirects. Some faults that the client reports mean more than their names say:
 * - `reset`: the response broke off or violated the protocol before its headers were complete. A
 *   status 100 or an upgrade that the daemon did not ask for counts too.
 * - `truncated`: the response broke off or violated the protocol after its headers.
 * - `oversized`: also headers above 16 KiB, and bodies in very small chunks.
 * - `not-json`: also a content coding that cannot be decoded.
 * - `unreachable`: also a name that does not resolve, or a certificate that does not verify.
 * - `busy`: this process had no capacity for the request, or this client is closed.
 * - `held-back`: the rate limit, or a pause that the scan asked for, did not permit the request yet.
 */
export function createUndiciScanNode(options: UndiciScanNodeOptions, deps: UndiciScanNodeDeps): ScanNode {
  const target = scanTarget(options.url, options)
  return target.kind === 'usable' ? new UndiciScanNode(target, options, deps) : new BlockedScanNode(target)
}

class UndiciScanNode implements ScanNode {
  readonly url: string
  readonly origin: string
  readonly prefix: string
  readonly budget: Budget
  readonly rateLimit: RateLimit
  readonly clock: Clock
  readonly #connector: ScanConnector
  readonly #open: () => PooledConnection
  readonly #connections = new Set<PooledConnection>()
  /**
   * The idle connections, as a stack: the connection that was used last is reused first. Surplus
   * connections thus stay idle until their time-out closes them.
   */
  readonly #idle: PooledConnection[] = []
  readonly #life = new AbortController()
  #asks = 0
  #closed: Promise<void> | undefined
  #allSettled: (() => void) | undefined

  constructor(
    target: Extract<ScanTarget, { kind: 'usable' }>,
    { budget, rateLimit, proxy, allowPrivate, connectTimeoutMs = 5000 }: UndiciScanNodeOptions,
    { clock, lookup }: UndiciScanNodeDeps,
  ) {
    this.url = target.url
    this.origin = target.origin
    this.prefix = target.prefix
    this.budget = budget
    this.rateLimit = rateLimit ?? new RateLimit({}, clock)
    this.clock = clock
    this.#connector = connectorTo(target, { proxy, allowPrivate, connectTimeoutMs }, { clock, lookup })
    const { connect } = this.#connector
    this.#open = () => new PooledConnection(new Client(target.origin, { ...clientOptions, connect }))
  }

  ask(request: ScanRequest, group: RequestGroup): Promise<ScanResponse> {
    if (group.isAborted) return Promise.reject(group.reason)
    if (this.#closed !== undefined) return Promise.resolve(gone)
    const ask = new Ask(request, group, this)
    this.#asks++
    ask.start()
    return ask.promise
  }

  get isConnected(): boolean {
    return [...this.#connections].some(({ isOpen }) => isOpen)
  }

  warm(): void {
    if (this.#connections.size > 0 || this.#closed !== undefined) return
    this.ask(releaseRequest(5000), new RequestGroup(this.#life.signal, this.clock)).then(
      (response) => {
        if (response.kind === 'response') response.release()
      },
      () => {},
    )
  }

  /**
   * Waits until the requests in flight end, each within its own time-out. Then closes every
   * connection.
   */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  headersFor(request: ScanRequest): string[] {
    const headers = request.body === undefined ? headersWithoutBody : headersWithBody
    const own = request.maxBytes < gzipFromBytes ? headers.identity : headers.gzip
    return request.traceParent === undefined ? own : [...own, 'traceparent', request.traceParent]
  }

  take(): PooledConnection {
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    const connection = this.#open()
    this.#connections.add(connection)
    return connection
  }

  give(connection: PooledConnection): void {
    if (connection.client.destroyed) return
    if (this.#connections.size <= this.budget.share.slots) {
      this.#idle.push(connection)
    } else {
      this.#connections.delete(connection)
      void connection.client.close()
    }
  }

  settled(): void {
    this.#asks--
    if (this.#asks === 0) this.#allSettled?.()
  }

  async #close(): Promise<void> {
    this.#life.abort()
    if (this.#asks > 0) {
      await new Promise<void>((resolve) => {
        this.#allSettled = resolve
      })
    }
    await Promise.all([...this.#connections].map(({ client }) => client.destroy()))
    this.#connector[Symbol.dispose]()
  }
}

/**
 * One keep-alive connection: a client with at most one socket, which carries one request at a time.
 */
class PooledConnection {
  readonly client: Client
  served = false
  isOpen = false

  constructor(client: Client) {
    this.client = client
    client.on('connect', () => {
      this.served = false
      this.isOpen = true
    })
    client.on('disconnect', () => {
      this.isOpen = false
    })
  }
}

/**
 * The maximum number of interim responses (status 1xx) to one request. Without a maximum, a node
 * could keep a connection busy forever.
 */
const maxInterim = 16

/**
 * The bytes of memory that a request reserves for its response before it starts. The `maxBytes` of
 * a lookup is not above `firstBytes`, so a lookup never waits for more bytes.
 */
const firstBytes = 65_536

const abandoned = new Error('the ask is over')

/**
 * One request to a node, from the wait for its turn to the outcome. To save allocations, the same
 * object is also the claim on the budget, the member of a request group, and undici's handler.
 *
 * The promise settles when the outcome is known. The slot and the connection are freed when undici
 * has finished the request, which may be later.
 */
class Ask implements Claim, Grouped, Dispatcher.DispatchHandler {
  readonly promise: Promise<ScanResponse>
  readonly bytes: number
  readonly #node: UndiciScanNode
  readonly #request: ScanRequest
  readonly #group: RequestGroup
  #resolve!: (response: ScanResponse) => void
  #reject!: (reason: unknown) => void
  #cancelTurn: (() => void) | undefined
  #stage: Stage = 'new'
  #connection: PooledConnection | undefined
  #controller: Dispatcher.DispatchController | undefined
  #reusedSocket = false
  #heard = false
  #retried = false
  #interim = 0
  #body: IncomingBody | undefined

  constructor(request: ScanRequest, group: RequestGroup, node: UndiciScanNode) {
    this.#request = request
    this.#group = group
    this.#node = node
    this.bytes = Math.min(request.maxBytes, firstBytes)
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  start(): void {
    const { budget, rateLimit } = this.#node
    this.#group.add(this, this.#request.timeoutMs)
    const admission = budget.request(this)
    if (admission === 'admitted') {
      this.admitted()
      return
    }
    if (admission === 'waiting') this.#stage = 'waiting'
    if (rateLimit.refuses(ingressOf(this.#request))) this.#failHeldBack()
    else if (admission === 'full') this.failed('busy', 'too many asks wait for this node')
  }

  admitted(): void {
    this.#stage = 'in-turn'
    this.#body = new IncomingBody(this.#node.budget, this.bytes, this.#request.maxBytes, this)
    const turnMs = this.#node.rateLimit.tryTake(ingressOf(this.#request))
    if (turnMs === undefined) this.#failHeldBack()
    else if (turnMs === 0) this.#connect()
    else this.#cancelTurn = this.#node.clock.after(turnMs, () => this.#takeTurn())
  }

  abort(reason: unknown): void {
    if (this.#settle()) this.#reject(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // `onRequestStart` throws instead of calling `controller.abort`: after a throw, undici drops
    // only the request, and the connection stays usable.
    if (this.#stage === 'settled') throw abandoned
    this.#stage = 'sent'
    this.#controller = controller
    this.#reusedSocket = this.#connection?.served === true
  }

  onResponseStarted(): void {
    this.#heard = true
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      if (++this.#interim > maxInterim) this.failed('reset', 'interim responses without end')
      return
    }
    this.#stage = 'answering'
    if (status === 429 || status === 503)
      this.#node.rateLimit.answered(status, headers['retry-after']?.toString())
    this.#body?.begin(controller, status, headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stage !== 'settled') this.#body?.write(chunk, controller)
  }

  onResponseEnd(): void {
    if (this.#connection !== undefined) this.#connection.served = true
    this.#letGo()
    if (this.#stage === 'settled') return
    this.#stage = 'ended'
    this.#body?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    // The call is deferred, because `#broken` may start the next request on this client. undici
    // cannot take a request inside this callback.
    queueMicrotask(() => this.#broken(error))
  }

  #takeTurn(): void {
    if (this.#node.rateLimit.isPaused) this.#failHeldBack()
    else this.#connect()
  }

  #connect(): void {
    this.#stage = 'connecting'
    this.#connection = this.#node.take()
    this.#dispatch(this.#connection)
  }

  #dispatch({ client }: PooledConnection): void {
    const { method, path, body } = this.#request
    const { origin, prefix } = this.#node
    client.dispatch(
      {
        origin,
        method,
        path: prefix === '' ? path : prefix + path,
        headers: this.#node.headersFor(this.#request),
        body: body ?? null,
      },
      this,
    )
  }

  #broken(error: Error): void {
    const connection = this.#connection
    if (connection !== undefined && this.#mayRetry(error)) {
      this.#retried = true
      this.#controller = undefined
      this.#stage = 'connecting'
      this.#dispatch(connection)
      return
    }
    const stage = this.#stage
    this.#letGo()
    if (stage !== 'settled') this.failed(faultOf(error, stage), messageOf(error), codeOf(error))
  }

  /**
   * Whether to send the request once more: the scan may close a kept-alive socket just as the next
   * request is written to it (RFC 9112 9.3.1). All requests to scans are reads, including POST, so
   * sending a request twice does no harm.
   */
  #mayRetry(error: Error): boolean {
    return this.#stage === 'sent' && this.#reusedSocket && !this.#heard && !this.#retried && isHangUp(error)
  }

  expire(): void {
    const [fault, what] = lateness(this.#stage, this.#body?.hasWaited === true)
    this.failed(fault, `${what} within ${this.#request.timeoutMs} ms`)
  }

  #failHeldBack(): void {
    this.failed('held-back', 'asked as often as it may be, or asked for a pause')
  }

  failed(fault: TransportFault, detail: string, code?: string): void {
    if (!this.#settle()) return
    const response = { kind: 'fault', fault, detail, ...(code !== undefined && { code }) } as const
    this.#resolve(this.#retried ? { ...response, resent: true } : response)
  }

  whole(): void {
    const body = this.#body as IncomingBody
    this.#stop()
    body.resent = this.#retried
    this.#resolve(body)
  }

  /**
   * Ends the request. Returns false if it had already ended; otherwise the caller must settle the
   * promise.
   */
  #settle(): boolean {
    const stage = this.#stage
    if (stage === 'settled') return false
    this.#stop()
    this.#controller?.abort(abandoned)
    if (stage === 'waiting') this.#node.budget.withdraw(this)
    this.#body?.release()
    if (stage === 'in-turn') {
      this.#cancelTurn?.()
      this.#node.budget.freeSlot()
    }
    return true
  }

  #stop(): void {
    this.#stage = 'settled'
    this.#group.remove(this)
    this.#node.settled()
  }

  #letGo(): void {
    const connection = this.#connection
    if (connection === undefined) return
    this.#connection = undefined
    this.#controller = undefined
    this.#node.give(connection)
    this.#node.budget.freeSlot()
  }
}

/**
 * A node that the daemon must not ask because of its URL. The node stays a voter, and every request
 * fails as `blocked`.
 */
class BlockedScanNode implements ScanNode {
  readonly url: string
  readonly isConnected = false
  readonly #fault: ScanResponse

  constructor({ url, reason }: Extract<ScanTarget, { kind: 'blocked' }>) {
    this.url = url
    this.#fault = { kind: 'fault', fault: 'blocked', detail: reason }
  }

  ask(_request: ScanRequest, group: RequestGroup): Promise<ScanResponse> {
    return group.isAborted ? Promise.reject(group.reason) : Promise.resolve(this.#fault)
  }

  warm(): void {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

const gone: ScanResponse = { kind: 'fault', fault: 'busy', detail: 'this node is no longer in use' }

/**
 * The options of every undici client. undici's own time-outs are off (0), because a `RequestGroup`
 * limits the time of each whole request.
 */
const clientOptions = {
  allowH2: false,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16_384,
  keepAliveTimeout: 50_000,
}

const headersWithoutBody = codings(['accept', 'application/json', 'user-agent', 'bft-scan-proxy'])
const headersWithBody = codings([...headersWithoutBody.common, 'content-type', 'application/json'])

function codings(common: string[]) {
  return {
    common,
    identity: [...common, 'accept-encoding', 'identity'],
    gzip: [...common, 'accept-encoding', 'gzip'],
  }
}
