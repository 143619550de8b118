import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../../lib/clock.ts'

/** Makes the sockets to a participant, each within a time-out by the clock. */
export class Connector implements Disposable {
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #connecting = new Set<Socket>()

  constructor(timeoutMs: number, clock: Clock) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /** What undici calls for a socket. */
  readonly connect: buildConnector.connector = (options, callback) => {
    this.open(options, (error, socket) => {
      if (socket === undefined) callback(error ?? new Error('no socket'), null)
      else callback(null, socket)
    })
  }

  /** Returns the socket at once and calls `done` when it is connected. After the time-out it destroys the socket. */
  open(
    { protocol, hostname, port }: Pick<buildConnector.Options, 'protocol' | 'hostname' | 'port'>,
    done: (error: Error | undefined, socket?: Socket) => void,
  ): Socket {
    const secure = protocol === 'https:'
    const host = hostname.replace(/^\[|\]$/g, '')
    const to = { ...socketOptions, host, port: Number(port || (secure ? 443 : 80)) }
    const socket = secure
      ? connectTls({ ...to, ...tlsOptions, ...(isIP(host) === 0 && { servername: host }) })
      : connectTcp(to)
    this.#connecting.add(socket)
    const cancel = this.#clock.after(this.#timeoutMs, () =>
      socket.destroy(new Error(`no connection within ${this.#timeoutMs} ms`)),
    )
    const finish = (error: Error | undefined) => {
      if (!this.#connecting.delete(socket)) return
      cancel()
      if (error === undefined) done(undefined, socket)
      else done(error)
    }
    // Stays after the connection is up: an error must always find a listener.
    socket.on('error', finish)
    socket.once('close', () => finish(new Error('closed while connecting')))
    socket.once(secure ? 'secureConnect' : 'connect', () => finish(undefined))
    return socket
  }

  /** Drops the sockets that are still connecting. */
  [Symbol.dispose](): void {
    for (const socket of this.#connecting) socket.destroy()
  }
}

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
/** Tokens travel on it: no variable of the environment lets anybody else take them. */
const tlsOptions = { ALPNProtocols: ['http/1.1'], rejectUnauthorized: true }
