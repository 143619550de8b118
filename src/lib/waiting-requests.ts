import type { Socket } from 'node:net'

/** The key of a socket's count of requests that wait for their answers. */
const waiting = Symbol('waiting requests')

type Counted = Socket & { [waiting]?: number }

/** The daemon closes a connection with more waiting requests, because one packet can hold thousands of requests. */
const mostWaiting = 100

/**
 * Counts a request that begins to wait for its answer. Returns false if the connection is closed, or if this request
 * exceeds the limit and closes it.
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
