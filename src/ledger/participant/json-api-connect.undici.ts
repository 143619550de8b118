import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../../lib/clock.ts'
import { type Connected, Connecting, socketOptions, tlsOptionsFor } from '../../lib/connecting.ts'

/** Opens the sockets to a participant. They carry tokens, so certificates are always verified. */
export class ParticipantConnector implements Disposable {
  readonly #connecting: Connecting

  constructor(timeoutMs: number, clock: Clock) {
    this.#connecting = new Connecting(timeoutMs, clock)
  }

  readonly connect: buildConnector.connector = (options, callback) => void this.open(options, callback)

  open(
    { protocol, hostname, port }: Pick<buildConnector.Options, 'protocol' | 'hostname' | 'port'>,
    done: Connected,
  ): Socket {
    const secure = protocol === 'https:'
    const host = hostname.replace(/^\[|\]$/g, '')
    const to = { ...socketOptions, host, port: Number(port || (secure ? 443 : 80)) }
    const socket = secure ? connectTls({ ...to, ...tlsOptionsFor(host) }) : connectTcp(to)
    const finish = this.#connecting.add(socket, done)
    return socket.once(secure ? 'secureConnect' : 'connect', () => finish(null, socket))
  }

  [Symbol.dispose](): void {
    this.#connecting[Symbol.dispose]()
  }
}
