import type { Socket } from 'node:net'

const waiting = Symbol('waiting requests')

type Counted = Socket & { [waiting]?: number }

/**
 * A connection on which more requests wait is closed: one packet can contain thousands of requests,
 * each of which takes time and memory.
 */
const mostWaiting = 100

/**
 * Returns false if the connection is closed. Closes the connection if too many requests wait on it.
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

export function isWaiting(socket: Counted): boolean {
  return (socket[waiting] ?? 0) > 0
}
