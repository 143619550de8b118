import type { Socket } from 'node:net'

/** On a socket: how many requests wait for their answer. */
const waiting = Symbol('waiting requests')

type Counted = Socket & { [waiting]?: number }

/** A connection on which more requests wait is closed: a packet can hold thousands. */
const mostWaiting = 100

/** Counts a request that begins to wait for its answer. False where its connection is closed, or is too full and closed now. */
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

/** Whether a request of this connection waits for its answer. */
export function isWaiting(socket: Counted): boolean {
  return (socket[waiting] ?? 0) > 0
}
