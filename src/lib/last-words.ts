import type { Duplex } from 'node:stream'
import { type Clock, systemClock } from './clock.ts'

const lingerMs = 1_000

/**
 * Sends the last data of a connection. Closes the connection when the other side has closed it too, or after
 * a second. Until then, incoming data is read and discarded: Node does not notice that the other side has
 * closed the connection while there is unread data.
 */
export function sayLast(socket: Duplex, text: string, clock: Clock = systemClock): void {
  socket.end(text)
  socket.resume()
  socket.once(
    'close',
    clock.after(lingerMs, () => socket.destroy()),
  )
}
