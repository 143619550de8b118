import type { Duplex } from 'node:stream'
import { type Clock, systemClock } from './clock.ts'

const lingerMs = 1_000

/**
 * Sends the last data and closes the connection within a second. Incoming data is discarded until
 * then: with unread data, Node does not notice that the other side has closed.
 */
export function sayLast(socket: Duplex, text: string, clock: Clock = systemClock): void {
  socket.end(text)
  socket.resume()
  socket.once(
    'close',
    clock.after(lingerMs, () => socket.destroy()),
  )
}
