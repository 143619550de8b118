import type { Socket } from 'node:net'

/** The key of the property in which a socket has the number of its requests that wait for answers. */
const waiting = Symbol('waiting requests')

type Counted = Socket & { [waiting]?: number }

/**
 * The maximum number of requests that wait on one connection. The daemon closes a connection with more,
 * because one packet can contain thousands of requests.
 */
const mostWaiting = 100

/**
 * Counts a request that begins to wait for its answer. If that exceeds the limit, closes the connection.
 * Returns false if the connection is closed.
 */
export function beginWaiting(socket: Counted): boolean {
  if (socket.destroyed) return false
  const count = (socket[waiting] ?? 0) + 1
  socket[waiting] = count
  if (count > mostWaiting) socket.destroy()
  return count <= mostWaiting
}

export function endWaiting(socket: Counted): void {
  socket[waiting] = (socket[waiting] ?? 1) - 1
}

/** Whether a request on this connection waits for its answer. */
export function isWaiting(socket: Counted): boolean {
  return (socket[waiting] ?? 0) > 0
}
