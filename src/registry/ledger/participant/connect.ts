import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Clock } from '../../../base/lib/clock.ts'
import { type Connected, Connecting, socketOptions, tlsOptionsFor } from '../../../base/lib/connecting.ts'

/**
 * The socket waits for a reader when this many bytes of a body are in memory. The limit bounds how many
 * chunks, which cost more than their bytes, are taken at once.
 */
const highWaterMark = 16_384

/** Opens the sockets to a participant. They carry tokens, so certificates are always verified. */
export class ParticipantConnector implements Disposable {
  readonly #connecting: Connecting
  readonly #url: Pick<URL, 'protocol' | 'hostname' | 'port'>

  constructor(url: string, timeoutMs: number, clock: Clock) {
    this.#url = new URL(url)
    this.#connecting = new Connecting(timeoutMs, clock)
  }

  /** Returns the socket while it connects. `done` tells the outcome, and so do the socket's events. */
  open(done: Connected = () => {}): Socket {
    const { protocol, hostname, port } = this.#url
    const secure = protocol === 'https:'
    const host = hostname.replace(/^\[|\]$/g, '')
    const to = { ...socketOptions, highWaterMark, host, port: Number(port || (secure ? 443 : 80)) }
    const socket = secure ? connectTls({ ...to, ...tlsOptionsFor(host) }) : connectTcp(to)
    const finish = this.#connecting.add(socket, done)
    return socket.once(secure ? 'secureConnect' : 'connect', () => finish(null, socket))
  }

  [Symbol.dispose](): void {
    this.#connecting[Symbol.dispose]()
  }
}
