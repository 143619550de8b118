import Client from 'undici/lib/dispatcher/client.js'
import type { Clock } from '../lib/clock.ts'
import {
  type AddressLookup,
  anyLookup,
  publicLookup,
  type ScanTarget,
  scanTarget,
  type UrlPolicy,
} from './address-guard.ts'
import type { Budget } from './budget.ts'
import { forwardProxyTo, type ProxyOptions } from './forward-proxy.ts'
import { Ask, type AskHost, type Connection } from './node.ask.ts'
import { ScanConnector } from './node.connect.ts'
import type { ScanNode, ScanRequest, ScanResponse } from './node.ts'
import { RateLimit } from './rate-limit.ts'

export interface UndiciScanNodeOptions extends UrlPolicy {
  /** As published: any text. One that cannot be used makes a node whose every ask is `blocked`. */
  readonly url: string
  /** Bounds the connections too: one ask has one. */
  readonly budget: Budget
  /** When it may be asked; at any time where absent, but for the pauses that it asks for. */
  readonly rateLimit?: RateLimit
  /** Whether it is asked through a forward proxy, which then resolves its name; directly where absent. */
  readonly proxy?: ProxyOptions
  readonly connectTimeoutMs?: number
  /** How long an idle connection is kept where the node does not say. */
  readonly keepAliveMs?: number
  readonly userAgent?: string
}

export interface UndiciScanNodeDeps {
  readonly clock: Clock
  /** Resolves names; `dns.lookup` where absent. */
  readonly lookup?: AddressLookup
}

/** From this limit on bodies are asked for compressed: below, undoing it costs more than it saves. */
const gzipFromBytes = 1_048_576

/**
 * A scan over HTTP/1.1 on kept-alive connections. How its faults come out, beyond what their names say: a response
 * that breaks off or breaks the protocol before its headers are whole is `reset` (an unasked 100 and an upgrade
 * among them), after that `truncated`; headers above 16 KiB and bodies in crumbs are `oversized`; a content coding
 * that cannot be undone is `not-json`; a name that does not resolve and a certificate that does not verify are
 * `unreachable`; an ask that this process had no room for, or that came after the end, is `busy`; one that came before its time is
 * `held-back`. Redirects are
 * responses like others.
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
  readonly #headers: StaticHeaders
  readonly #connector: ScanConnector
  readonly #open: () => PooledConnection
  readonly #connections = new Set<PooledConnection>()
  /** The last one used is the first one used again, so that those not needed run out of time. */
  readonly #idle: PooledConnection[] = []
  /** Ends what nobody waits for. */
  readonly #life = new AbortController()
  #asks = 0
  #closed: Promise<void> | undefined
  #allSettled: (() => void) | undefined

  constructor(
    target: Extract<ScanTarget, { kind: 'usable' }>,
    {
      budget,
      rateLimit,
      proxy: proxies = {},
      allowPrivate,
      connectTimeoutMs = 5000,
      keepAliveMs = 50_000,
      userAgent = 'bft-scan-proxy',
    }: UndiciScanNodeOptions,
    { clock, lookup }: UndiciScanNodeDeps,
  ) {
    this.url = target.url
    this.origin = target.origin
    this.prefix = target.prefix
    this.budget = budget
    this.rateLimit = rateLimit ?? new RateLimit({}, clock)
    this.clock = clock
    this.#headers = staticHeaders(userAgent)
    const proxy = forwardProxyTo(target, proxies)
    // Where a proxy is, its operator says; where a scan is, anybody might.
    const isGuarded = proxy === undefined && !allowPrivate
    this.#connector = new ScanConnector(
      { target, proxy, connectTimeoutMs },
      { clock, lookup: isGuarded ? publicLookup(lookup) : anyLookup(lookup) },
    )
    const { connect } = this.#connector
    this.#open = () =>
      new PooledConnection(
        new Client(target.origin, { ...clientOptions, connect, keepAliveTimeout: keepAliveMs }),
      )
  }

  ask(request: ScanRequest, signal: AbortSignal): Promise<ScanResponse> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#closed !== undefined) return Promise.resolve(gone)
    const ask = new Ask(request, signal, this)
    this.#asks++
    ask.start()
    return ask.promise
  }

  warm(): void {
    if (this.#connections.size > 0 || this.#closed !== undefined) return
    const version = { method: 'GET', path: '/api/scan/version', maxBytes: 65_536, timeoutMs: 5000 } as const
    this.ask(version, this.#life.signal).then(
      (response) => {
        if (response.kind === 'response') response.release()
      },
      () => {},
    )
  }

  /** Lets the asks under way end, each within its own time-out, then closes every connection. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  headersFor(request: ScanRequest): string[] {
    const headers = request.body === undefined ? this.#headers.withoutBody : this.#headers.withBody
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

class PooledConnection implements Connection {
  readonly client: Client
  served = false

  constructor(client: Client) {
    this.client = client
    client.on('connect', () => {
      this.served = false
    })
  }
}

/** A member whose URL is not one to be asked. It stays a voter that is never heard. */
class BlockedScanNode implements ScanNode {
  readonly url: string
  readonly #fault: ScanResponse

  constructor({ url, reason }: Extract<ScanTarget, { kind: 'blocked' }>) {
    this.url = url
    this.#fault = { kind: 'fault', fault: 'blocked', detail: reason }
  }

  ask(_request: ScanRequest, signal: AbortSignal): Promise<ScanResponse> {
    return signal.aborted ? Promise.reject(signal.reason) : Promise.resolve(this.#fault)
  }

  warm(): void {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

const gone: ScanResponse = { kind: 'fault', fault: 'busy', detail: 'this node is no longer in use' }

/** undici's own time-outs are off: an ask ends by the clock, whatever it waits for. */
const clientOptions = {
  allowH2: false,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16_384,
}

type StaticHeaders = ReturnType<typeof staticHeaders>

function staticHeaders(userAgent: string) {
  const common = ['accept', 'application/json', 'user-agent', userAgent]
  const json = [...common, 'content-type', 'application/json']
  return { withoutBody: codings(common), withBody: codings(json) }
}

function codings(headers: string[]) {
  return {
    identity: [...headers, 'accept-encoding', 'identity'],
    gzip: [...headers, 'accept-encoding', 'gzip'],
  }
}
