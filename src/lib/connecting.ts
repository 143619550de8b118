import { isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Clock } from './clock.ts'

/** The error of a connection that was not established in time. The time includes the TLS handshake, if there is one. */
export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError'
}

/** Receives the connected socket or the error, like a connect callback of undici. */
export type Connected = (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void

export const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * Returns the TLS options for a host. They make Node verify the certificate, even if
 * `NODE_TLS_REJECT_UNAUTHORIZED` is 0, and offer only HTTP/1.1. If the host is a name, they contain the name
 * (SNI), because several hosts may share an address.
 */
export function verified(host: string): ConnectionOptions {
  const name = isIP(host) === 0 ? { servername: host } : {}
  return { ...name, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }
}

/** The sockets that are still connecting. All have the same time limit, which the clock measures. */
export class Connecting implements Disposable {
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #sockets = new Set<Socket>()

  constructor(timeoutMs: number, clock: Clock) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /**
   * Adds a socket that is connecting, and returns a function. The caller calls this function when the socket
   * is connected. `done` is called once: by this function, or when the socket fails, closes or exceeds the
   * time limit. A socket that exceeds the time limit is destroyed.
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
    // This listener stays after the connection is established: an `error` event without a listener ends the process.
    socket.on('error', (error) => finish(error, null))
    return finish
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
