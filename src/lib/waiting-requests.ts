import type { Socket } from 'node:net'

/**
 * The key of a property that this file adds to sockets. Its value is the number of requests on the connection
 * that wait for their answers.
 */
const waiting = Symbol('waiting requests')

type Counted = Socket & { [waiting]?: number }

/**
 * The maximum number of requests that wait for answers on one connection. The daemon closes a connection on which more
 * requests wait: one packet can contain thousands of requests, and each takes time and memory.
 */
const mostWaiting = 100

/**
 * Counts a request that begins to wait for its answer, and closes the connection if more than `mostWaiting`
 * requests wait. Returns false if the connection is closed.
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
