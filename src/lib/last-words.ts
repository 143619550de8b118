import type { Duplex } from 'node:stream'
import { type Clock, systemClock } from './clock.ts'

const lingerMs = 1_000

/**
 * Says the last that is said on a connection, and closes it: when the other side has closed it too, or after a second. What
 * still comes until then is read and dropped. Unread it would keep the connection and its memory for good, as the other
 * side's end comes behind it.
 */
export function sayLast(socket: Duplex, text: string, clock: Clock = systemClock): void {
  socket.end(text)
  socket.resume()
  socket.once(
    'close',
    clock.after(lingerMs, () => socket.destroy()),
  )
}
