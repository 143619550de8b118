import { isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Clock } from './clock.ts'

export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError'
}

export type Connected = (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void

export const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * The certificate is verified even if `NODE_TLS_REJECT_UNAUTHORIZED` is 0. The host's name is sent
 * (SNI), because several hosts may share an address.
 */
export function tlsOptionsFor(host: string): ConnectionOptions {
  const name = isIP(host) === 0 ? { servername: host } : {}
  return { ...name, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }
}

export class Connecting implements Disposable {
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #sockets = new Set<Socket>()

  constructor(timeoutMs: number, clock: Clock) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /**
   * Returns a function that the caller must call when the socket is connected. `done` is called
   * once: by that function, or when the socket fails, closes or exceeds the time limit.
   */
  add(socket: Socket, done: Connected): Connected {
    this.#sockets.add(socket)
    const cancelTimer = this.#clock.after(this.#timeoutMs, () =>
      socket.destroy(new ConnectTimeoutError(`no connection within ${this.#timeoutMs} ms`)),
    )
    const finish: Connected = (...outcome) => {
      if (!this.#sockets.delete(socket)) return
      cancelTimer()
      done(...outcome)
    }
    socket.once('close', () => finish(new Error('closed while connecting'), null))
    // This listener stays, because an `error` event without a listener ends the process.
    socket.on('error', (error) => finish(error, null))
    return finish
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
