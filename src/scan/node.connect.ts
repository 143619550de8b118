import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../lib/clock.ts'
import type { ScanTarget } from './address-guard.ts'

/** The connection was not up in time: TCP, and TLS where it applies. */
export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError'
}

type Finish = (error: Error | undefined) => void

/**
 * Makes the sockets of one node. Certificates are verified whatever the environment says; HTTP/1.1 is all that is
 * offered. Names that are being resolved are not resolved a second time meanwhile: `getaddrinfo` has few threads,
 * and a slow name server must not take them all.
 */
export class Connector implements Disposable {
  readonly #target: Extract<ScanTarget, { kind: 'usable' }>
  readonly #connectTimeoutMs: number
  readonly #clock: Clock
  readonly #lookup: LookupFunction
  readonly #connecting = new Set<Socket>()
  #session: Buffer | undefined

  constructor(
    options: { target: Extract<ScanTarget, { kind: 'usable' }>; connectTimeoutMs: number },
    deps: { clock: Clock; lookup: LookupFunction },
  ) {
    this.#target = options.target
    this.#connectTimeoutMs = options.connectTimeoutMs
    this.#clock = deps.clock
    this.#lookup = shared(deps.lookup)
  }

  /** What undici calls for a socket. */
  readonly connect: buildConnector.connector = (_options, callback) => {
    const socket = this.#target.secure ? this.#openTls() : this.#openTcp()
    const finish = this.#watch(socket, (error) => {
      if (error === undefined) callback(null, socket)
      else callback(error, null)
    })
    socket.once(this.#target.secure ? 'secureConnect' : 'connect', () => finish(undefined))
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
    return (error) => {
      if (!this.#connecting.delete(socket)) return
      cancelTimer()
      done(error)
    }
  }

  #openTcp(): Socket {
    const { host, port } = this.#target
    return connectTcp({ ...socketOptions, host, port, lookup: this.#lookup })
  }

  #openTls(): Socket {
    const { host, port } = this.#target
    const socket = connectTls({
      ...socketOptions,
      host,
      port,
      lookup: this.#lookup,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      ...(this.#session === undefined ? {} : { session: this.#session }),
    })
    return socket.on('session', (session) => {
      this.#session = session
    })
  }
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
