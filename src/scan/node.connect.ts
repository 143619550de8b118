import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../lib/clock.ts'
import type { ScanTarget } from './address-guard.ts'
import type { ForwardProxy } from './forward-proxy.ts'
import { openTunnel } from './node.tunnel.ts'

/** The connection was not up in time: TCP, and TLS where it applies. */
export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError'
}

type Target = Extract<ScanTarget, { kind: 'usable' }>
type Finish = (error: Error | undefined, socket?: Socket) => void

/**
 * Makes the sockets of one node. Certificates are verified whatever the environment says; HTTP/1.1 is all that is
 * offered. Names that are being resolved are not resolved a second time meanwhile: `getaddrinfo` has few threads,
 * and a slow name server must not take them all. Through a forward proxy it is the proxy that resolves a scan's name.
 */
export class Connector implements Disposable {
  readonly #target: Target
  readonly #proxy: ForwardProxy | undefined
  readonly #connectTimeoutMs: number
  readonly #clock: Clock
  readonly #lookup: LookupFunction
  readonly #connecting = new Set<Socket>()
  #session: Buffer | undefined

  /** @param deps.lookup resolves the proxy's name where there is a proxy, else the scan's. */
  constructor(
    options: { target: Target; proxy?: ForwardProxy | undefined; connectTimeoutMs: number },
    deps: { clock: Clock; lookup: LookupFunction },
  ) {
    this.#target = options.target
    this.#proxy = options.proxy
    this.#connectTimeoutMs = options.connectTimeoutMs
    this.#clock = deps.clock
    this.#lookup = shared(deps.lookup)
  }

  /** What undici calls for a socket. */
  readonly connect: buildConnector.connector = (_options, callback) => {
    const proxy = this.#proxy
    const socket = proxy === undefined ? this.#openDirect() : this.#openProxy(proxy)
    const finish = this.#watch(socket, (error, ready) => {
      if (ready !== undefined) callback(null, ready)
      else callback(error ?? new Error('no socket'), null)
    })
    const isSecure = (proxy ?? this.#target).secure
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      if (proxy === undefined) finish(undefined, socket)
      else this.#tunnel(socket, proxy, finish)
    })
    socket.once('close', () => finish(new Error('closed while connecting')))
    // Stays after the connection is up: an error must always find a listener.
    socket.on('error', finish)
  };

  /** Drops the sockets that are still connecting. */
  [Symbol.dispose](): void {
    for (const socket of this.#connecting) socket.destroy()
  }

  #watch(socket: Socket, done: Finish): Finish {
    this.#connecting.add(socket)
    const cancelTimer = this.#clock.after(this.#connectTimeoutMs, () =>
      socket.destroy(new ConnectTimeoutError(`no connection within ${this.#connectTimeoutMs} ms`)),
    )
    return (error, ready) => {
      if (!this.#connecting.delete(socket)) return
      cancelTimer()
      done(error, ready)
    }
  }

  #openDirect(): Socket {
    const { host, port, secure } = this.#target
    const to = { ...socketOptions, host, port, lookup: this.#lookup }
    return secure ? this.#startTls(to) : connectTcp(to)
  }

  #openProxy({ host, port, secure }: ForwardProxy): Socket {
    const to = { ...socketOptions, host, port, lookup: this.#lookup }
    return secure ? connectTls({ ...to, ...verified(host) }) : connectTcp(to)
  }

  #tunnel(socket: Socket, proxy: ForwardProxy, finish: Finish): void {
    const target = this.#target
    openTunnel(socket, proxy, target, (error) => {
      if (error !== undefined) {
        finish(error)
        socket.destroy()
      } else if (target.secure) {
        const inner = this.#startTls({ socket, host: target.host })
        inner.once('secureConnect', () => finish(undefined, inner))
        inner.on('error', (reason) => {
          finish(reason)
          socket.destroy()
        })
      } else {
        finish(undefined, socket)
      }
    })
  }

  #startTls(over: ConnectionOptions): Socket {
    const socket = connectTls({
      ...over,
      ...verified(this.#target.host),
      ...(this.#session === undefined ? {} : { session: this.#session }),
    })
    return socket.on('session', (session) => {
      this.#session = session
    })
  }
}

/** Many hosts share an address and tell by the name in the handshake which of them is meant; an address has none. */
function verified(host: string): ConnectionOptions {
  const name = isIP(host) === 0 ? { servername: host } : {}
  return { ...name, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }
}

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

/** One resolution at a time: callers that come while it runs get its outcome. A connector always asks the same. */
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
