import { isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Clock } from './clock.ts'

/** The connection was not up in time: TCP, and TLS where it applies. */
export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError'
}

/** Takes the connected socket, or why there is none, as a callback of undici does. */
export type Connected = (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void

export const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

/**
 * How TLS is spoken with a host: certificates are verified whatever the environment says, and HTTP/1.1 is all that is
 * offered. Many hosts share an address and tell by the name in the handshake which of them is meant; an address has none.
 */
export function verified(host: string): ConnectionOptions {
  const name = isIP(host) === 0 ? { servername: host } : {}
  return { ...name, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] }
}

/** The sockets that are still connecting. Each has the same time for it, by the clock. */
export class Connecting implements Disposable {
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #sockets = new Set<Socket>()

  constructor(timeoutMs: number, clock: Clock) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /**
   * Calls `done` once: when the function it returns is called, or when the socket fails, closes or is late. A socket
   * that is late is destroyed.
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
    // Stays after the connection is up: an error must always find a listener.
    socket.on('error', (error) => finish(error, null))
    return finish
  }

  /** Drops them. */
  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
