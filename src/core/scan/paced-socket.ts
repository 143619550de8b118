import type { Socket } from 'node:net'

/**
 * The HTTP parser creates an error for each header above its limit, until the end of the bytes that
 * it was given. This many bytes have at most a thousand headers.
 */
const sliceBytes = 4_096
/**
 * The bytes that all paced sockets together read in one turn of the event loop. With 96 floods of
 * headers at once, a turn takes 2 to 3 s without this limit, and 20 ms with it.
 */
const bytesPerTurn = 4 * sliceBytes

let left = bytesPerTurn
/** The bytes that a socket may read until the next one may. */
let mayRead = bytesPerTurn
/** The sockets that may read no more for now. The one that waits for longest is first. */
const waiting = new Set<Socket>()

/**
 * Changes a socket so that its reader gets small slices of what has arrived, and waits for the next
 * turn of the event loop once all such sockets have read `bytesPerTurn` in this one. Sockets that
 * wait get one slice after the other, so that a flood delays nobody else for long. A scan could
 * otherwise block the event loop with responses that are expensive to parse, such as thousands of
 * headers. undici has no option that limits what it reads at once: it calls the socket's `read`.
 * @param socket its reader must read in the event `readable`, until `read` returns null.
 */
export function pacedSocket(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  socket.read = () => {
    if (socket.destroyed) return null
    if (socket.readableLength === 0) return read()
    if (left === bytesPerTurn) setImmediate(beginTurn)
    const count = Math.min(left, mayRead, sliceBytes, socket.readableLength)
    left -= count
    mayRead -= count
    if (count > 0) return read(count)
    waiting.add(socket)
    return null
  }
  return socket
}

function beginTurn(): void {
  left = bytesPerTurn
  // A socket that has more to read is added again, as the last one.
  for (const socket of waiting) {
    if (left === 0) break
    waiting.delete(socket)
    mayRead = sliceBytes
    socket.emit('readable')
  }
  mayRead = left
}
