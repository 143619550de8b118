import type { Socket } from 'node:net'
import { InPortions } from '../lib/in-portions.ts'

/**
 * The HTTP parser creates an error for each header above its limit, until the end of the bytes that
 * it was given. This many bytes have at most a thousand headers.
 */
const sliceBytes = 4_096
const portionMs = 2

/** The turns of all sockets, because all of them share the event loop of this thread. */
const turns = new InPortions(portionMs)

/**
 * Changes a socket so that its reader gets small slices of what has arrived, and waits for its turn
 * before each slice. In a turn of the event loop, all changed sockets together read for two
 * milliseconds, and for one slice more. A scan could otherwise block the event loop with responses
 * that are expensive to parse, such as thousands of headers.
 * @param socket its reader must read in the event `readable`, until `read` returns null.
 */
export function pacedSocket(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  let isTurn = false
  let isWaiting = false
  const takeTurn = () => {
    isWaiting = false
    isTurn = true
    socket.emit('readable')
    isTurn = false
  }
  socket.read = () => {
    if (socket.destroyed) return null
    if (socket.readableLength === 0) return read()
    if (isTurn) {
      isTurn = false
      return read(Math.min(sliceBytes, socket.readableLength))
    }
    if (!isWaiting) {
      isWaiting = true
      turns.add([takeTurn])
    }
    return null
  }
  return socket
}
