import Client from 'undici/lib/dispatcher/client.js'
import type { Clock } from '../../base/lib/clock.ts'
import { type AddressLookup, type ScanTarget, scanTarget, type UrlPolicy } from './address-guard.ts'
import type { ProxyOptions } from './forward-proxy.ts'
import type { Budget } from './in-flight-budget.ts'
import { Ask, type AskHost, type KeepAliveConnection } from './node.ask.ts'
import { connectorTo, type ScanConnector } from './node.connect.ts'
import { RequestGroup, releaseRequest, type ScanNode, type ScanRequest, type ScanResponse } from './node.ts'
import { RateLimit } from './rate-limit.ts'

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

class UndiciScanNode implements ScanNode, AskHost {
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

class PooledConnection implements KeepAliveConnection {
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
