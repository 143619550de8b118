import { isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Clock } from './clock.ts'

/** The connection, including TLS where it applies, was not established in time. */
export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError'
}

/** Receives the connected socket or the error, like a connect callback of undici. */
export type Connected = (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void

export const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * TLS options for a host. Node verifies certificates whatever the environment says, and offers only HTTP/1.1. A server
 * name (SNI) selects one of several hosts that share an address; an IP address has no server name.
 */
export function verified(host: string): ConnectionOptions {
  const name = isIP(host) === 0 ? { servername: host } : {}
  return { ...name, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }
}

/** The sockets that are still connecting. All have the same connect timeout, measured by the clock. */
export class Connecting implements Disposable {
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #sockets = new Set<Socket>()

  constructor(timeoutMs: number, clock: Clock) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /**
   * Calls `done` once: when the caller calls the returned function, or when the socket fails, closes or times out. A
   * socket that times out is destroyed.
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

  /** Destroys the sockets that are still connecting. */
  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
