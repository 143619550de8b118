import type { Duplex } from 'node:stream'
import { type Clock, systemClock } from './clock.ts'

const lingerMs = 1_000

/**
 * Sends the last text of a connection, and then closes it: when the other side has closed it too, or after a
 * second. Until then, incoming data is read and discarded. If data stayed unread, the daemon would not see
 * that the other side has closed, and the memory of the connection would never be freed.
 */
export function sayLast(socket: Duplex, text: string, clock: Clock = systemClock): void {
  socket.end(text)
  socket.resume()
  socket.once(
    'close',
    clock.after(lingerMs, () => socket.destroy()),
  )
}
