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

let turn = 0
let left = bytesPerTurn
/** The bytes that one socket may read in this turn. */
let share = bytesPerTurn
/** The sockets that may read no more in this turn, in their order. */
let waiting = new Set<Socket>()

/**
 * Changes a socket so that its reader gets small slices of what has arrived, and waits for the next
 * turn of the event loop once all such sockets have read `bytesPerTurn` in this one. Sockets that
 * wait have equal shares of the next turn, so that a flood delays nobody else. A scan could
 * otherwise block the event loop with responses that are expensive to parse, such as thousands of
 * headers. undici has no option that limits what it reads at once: it calls the socket's `read`.
 * @param socket its reader must read in the event `readable`, until `read` returns null.
 */
export function pacedSocket(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  let readIn = turn
  let taken = 0
  socket.read = () => {
    if (socket.destroyed) return null
    if (socket.readableLength === 0) return read()
    if (left === bytesPerTurn) setImmediate(beginTurn)
    if (readIn !== turn) taken = 0
    readIn = turn
    const count = Math.min(left, share - taken, sliceBytes, socket.readableLength)
    left -= count
    taken += count
    if (count > 0) return read(count)
    waiting.add(socket)
    return null
  }
  return socket
}

function beginTurn(): void {
  turn++
  left = bytesPerTurn
  share = Math.ceil(bytesPerTurn / Math.max(1, waiting.size))
  if (waiting.size === 0) return
  const ready = waiting
  waiting = new Set()
  for (const socket of ready) socket.emit('readable')
}
