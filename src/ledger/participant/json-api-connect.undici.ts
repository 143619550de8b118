import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../../lib/clock.ts'
import { type Connected, Connecting, socketOptions, verified } from '../../lib/connecting.ts'

/** Opens the sockets to a participant. Tokens are sent over these sockets. */
export class ParticipantConnector implements Disposable {
  readonly #connecting: Connecting

  constructor(timeoutMs: number, clock: Clock) {
    this.#connecting = new Connecting(timeoutMs, clock)
  }

  /** The connector for undici, which calls it for each new socket. */
  readonly connect: buildConnector.connector = (options, callback) => void this.open(options, callback)

  /**
   * Returns a socket at once, and calls `done` when the socket is connected. If that takes too long, destroys the
   * socket.
   */
  open(
    { protocol, hostname, port }: Pick<buildConnector.Options, 'protocol' | 'hostname' | 'port'>,
    done: Connected,
  ): Socket {
    const secure = protocol === 'https:'
    const host = hostname.replace(/^\[|\]$/g, '')
    const to = { ...socketOptions, host, port: Number(port || (secure ? 443 : 80)) }
    const socket = secure ? connectTls({ ...to, ...verified(host) }) : connectTcp(to)
    const finish = this.#connecting.add(socket, done)
    return socket.once(secure ? 'secureConnect' : 'connect', () => finish(null, socket))
  }

  /** Destroys those sockets that are still connecting. */
  [Symbol.dispose](): void {
    this.#connecting[Symbol.dispose]()
  }
}
