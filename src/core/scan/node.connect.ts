import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../../base/lib/clock.ts'
import {
  type Connected,
  Connecting,
  ConnectTimeoutError,
  socketOptions,
  tlsOptionsFor,
} from '../../base/lib/connecting.ts'
import {
  AddressBlockedError,
  type AddressLookup,
  anyLookup,
  publicLookup,
  type ScanTarget,
} from './address-guard.ts'
import { type ForwardProxy, forwardProxyTo, type ProxyOptions, tunnelCode } from './forward-proxy.ts'
import type { TransportFault } from './node.ts'
import { pacedSocket } from './paced-socket.ts'

type UsableTarget = Extract<ScanTarget, { kind: 'usable' }>

/**
 * Receives each new socket before it connects. An https scan behind a proxy has two sockets: one to
 * the proxy, and the TLS socket to the scan inside the tunnel.
 */
export type SocketWatch = (socket: Socket, to: 'scan' | 'proxy') => void

export interface ConnectorOptions {
  readonly proxy?: ProxyOptions | undefined
  readonly allowPrivate: boolean
  readonly connectTimeoutMs: number
}

export interface ConnectorDeps {
  readonly clock: Clock
  readonly lookup?: AddressLookup | undefined
  readonly opened?: SocketWatch | undefined
}

export function connectorTo(
  target: UsableTarget,
  { proxy: proxies = {}, allowPrivate, connectTimeoutMs }: ConnectorOptions,
  { clock, lookup, opened }: ConnectorDeps,
): ScanConnector {
  const proxy = forwardProxyTo(target, proxies)
  // A proxy may have any address, because the operator configures it. A scan's address is checked,
  // because anyone may publish one.
  const isGuarded = proxy === undefined && !allowPrivate
  return new ScanConnector(
    { target, proxy, connectTimeoutMs },
    { clock, lookup: isGuarded ? publicLookup(lookup) : anyLookup(lookup), opened },
  )
}

/**
 * Opens the sockets of one node. Concurrent connects share one name resolution: `getaddrinfo` has
 * few threads, and a slow name server must not occupy them all.
 */
export class ScanConnector implements Disposable {
  readonly #target: UsableTarget
  readonly #proxy: ForwardProxy | undefined
  readonly #lookup: LookupFunction
  readonly #connecting: Connecting
  readonly #opened: SocketWatch | undefined
  #session: Buffer | undefined

  constructor(
    options: { target: UsableTarget; proxy?: ForwardProxy | undefined; connectTimeoutMs: number },
    deps: { clock: Clock; lookup: LookupFunction; opened?: SocketWatch | undefined },
  ) {
    this.#target = options.target
    this.#proxy = options.proxy
    this.#connecting = new Connecting(options.connectTimeoutMs, deps.clock)
    this.#lookup = shared(deps.lookup)
    this.#opened = deps.opened
  }

  readonly connect: buildConnector.connector = (_options, callback) => {
    const proxy = this.#proxy
    const socket = this.#open()
    this.#opened?.(socket, proxy === undefined ? 'scan' : 'proxy')
    const done: Connected = (error, connected) => {
      if (error === null) callback(null, pacedSocket(connected))
      else callback(error, null)
    }
    if (proxy !== undefined) return this.#connectThrough(socket, proxy, done)
    const finish = this.#connecting.add(socket, done)
    socket.once(this.#target.secure ? 'secureConnect' : 'connect', () => finish(null, socket))
  };

  [Symbol.dispose](): void {
    this.#connecting[Symbol.dispose]()
  }

  #open(): Socket {
    const { host, port, secure } = this.#proxy ?? this.#target
    const to = { ...socketOptions, host, port, lookup: this.#lookup }
    if (!secure) return connectTcp(to)
    return this.#proxy === undefined ? this.#startTls(to) : connectTls({ ...to, ...tlsOptionsFor(host) })
  }

  #connectThrough(socket: Socket, proxy: ForwardProxy, done: Connected): void {
    const target = this.#target
    let isTunnelled = false
    const finish = this.#connecting.add(socket, (error, connected) => {
      if (error === null) done(null, connected)
      else done(isTunnelled ? error : asTunnelError(error), null)
    })
    const tunnelled = (error: TunnelError | undefined) => {
      isTunnelled = error === undefined
      if (error !== undefined) {
        finish(error, null)
        socket.destroy()
      } else if (target.secure) {
        const inner = this.#startTls({ socket, host: target.host })
        this.#opened?.(inner, 'scan')
        inner.once('secureConnect', () => finish(null, inner))
        inner.on('error', (reason) => {
          finish(reason, null)
          socket.destroy()
        })
      } else {
        finish(null, socket)
      }
    }
    socket.once(proxy.secure ? 'secureConnect' : 'connect', () =>
      openTunnel(socket, proxy, target, tunnelled),
    )
  }

  #startTls(over: ConnectionOptions): Socket {
    const socket = connectTls({
      ...over,
      ...tlsOptionsFor(this.#target.host),
      ...(this.#session === undefined ? {} : { session: this.#session }),
    })
    return socket.on('session', (session) => {
      this.#session = session
    })
  }
}

function asTunnelError(error: Error): Error {
  if (error instanceof TunnelError || error instanceof ConnectTimeoutError) return error
  return new TunnelError(`no connection to the forward proxy: ${messageOf(error)}`, { cause: error })
}

/**
 * Runs one resolution at a time, and gives its outcome to all callers that wait. The host name of
 * later callers does not matter, because a connector always resolves the same name.
 */
function shared(lookup: LookupFunction): LookupFunction {
  let waiting: Parameters<LookupFunction>[2][] | undefined
  return (hostname, options, callback) => {
    if (waiting !== undefined) {
      waiting.push(callback)
      return
    }
    const callbacks = [callback]
    waiting = callbacks
    lookup(hostname, options, (...outcome) => {
      waiting = undefined
      for (const each of callbacks) each(...outcome)
    })
  }
}

export class TunnelError extends Error {
  override readonly name = 'TunnelError'
  readonly code = tunnelCode
}

const longestHead = 16_384

/**
 * Asks a forward proxy for a tunnel to a scan (RFC 9110, 9.3.6).
 * @param socket a connected socket to the proxy.
 * @param done called with an error, or with undefined if the socket leads to the scan.
 */
function openTunnel(
  socket: Socket,
  { authorization }: ForwardProxy,
  { host, port }: { readonly host: string; readonly port: number },
  done: (error: TunnelError | undefined) => void,
): void {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `host: ${authority}`]
  if (authorization !== undefined) lines.push(`proxy-authorization: ${authorization}`)
  let head = ''
  const hear = (chunk: Buffer) => {
    head += chunk.toString('latin1')
    const length = head.indexOf('\r\n\r\n')
    if (length === -1 && head.length < longestHead) return
    socket.off('data', hear)
    socket.pause()
    done(judge(head, length))
  }
  socket.on('data', hear)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
}

function judge(head: string, length: number): TunnelError | undefined {
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r\n)/.exec(head)?.[1]
  if (length === -1 || status === undefined) return new TunnelError('the forward proxy does not speak HTTP')
  const wish = status === '407' ? ': its URL must hold a user and a password' : ''
  if (!status.startsWith('2')) return new TunnelError(`the forward proxy answered ${status}${wish}`)
  // A scan sends nothing before a request, so these bytes must come from the proxy.
  if (head.length > length + 4) return new TunnelError('the forward proxy sent more than it was asked for')
  return undefined
}

export type Stage = 'new' | 'waiting' | 'in-turn' | 'connecting' | 'sent' | 'answering' | 'ended' | 'settled'

export function faultOf(error: Error, stage: Stage): TransportFault {
  if (stage === 'answering') return 'truncated'
  if (stage === 'sent') return codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW' ? 'oversized' : 'reset'
  if (error instanceof AddressBlockedError) return 'blocked'
  return error instanceof ConnectTimeoutError ? 'timeout' : 'unreachable'
}

export function lateness(stage: Stage, lackedRoom: boolean): readonly [fault: TransportFault, what: string] {
  switch (stage) {
    case 'new':
    case 'waiting':
      return ['busy', 'not admitted']
    case 'in-turn':
      return ['held-back', 'not its turn']
    case 'connecting':
      return ['timeout', 'not connected']
    case 'sent':
      return ['timeout', 'no response']
    case 'answering':
    case 'ended':
    case 'settled':
      return lackedRoom ? ['busy', 'no room for its body'] : ['timeout', 'no whole body']
  }
}

export function isHangUp(error: Error): boolean {
  const code = codeOf(error)
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}

export function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

/**
 * Returns the message of an error, or else its code or its name: Node's error for several failed
 * addresses has an empty message.
 */
export function messageOf(error: Error): string {
  return error.message !== '' ? error.message : (codeOf(error) ?? error.name)
}
