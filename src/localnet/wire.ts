import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Reply } from './reply.ts'

const cutHere = new WeakSet<ServerResponse>()

/** Whether the node itself ended the connection before it had sent the whole reply. */
export function wasCut(response: ServerResponse): boolean {
  return cutHere.has(response)
}

/** Sends the whole reply. Does nothing if the caller has disconnected. */
export function sendWhole(response: ServerResponse, { status, head, body }: Reply): void {
  if (response.destroyed) return
  response.writeHead(status, head as string[]).end(body)
}

/**
 * Sends the status and the headers of a reply.
 * @param length the value of the header `content-length`, right or wrong. With `chunked`, that header is not
 * sent.
 */
export function sendHead(response: ServerResponse, reply: Reply, length: number | 'chunked'): void {
  const at = reply.head.indexOf('content-length')
  const head = reply.head.toSpliced(at, 2)
  if (length !== 'chunked') head.push('content-length', String(length))
  response.writeHead(reply.status, head)
  response.flushHeaders()
}

/** Returns the first half of a reply's body. It is not empty if the body has at least two bytes. */
export function firstHalf({ body }: Reply): Buffer {
  return body.subarray(0, Math.floor(body.length / 2))
}

/** Sends some bytes of the body, and then closes the connection. */
export function cutAfter(response: ServerResponse, part: Buffer): void {
  cutHere.add(response)
  response.write(part, () => response.destroy())
}

/** Resets the connection (TCP RST). */
export function reset(response: ServerResponse): void {
  cutHere.add(response)
  response.socket?.resetAndDestroy()
}

/** Writes the chunks as fast as the connection accepts them. Stops if the caller disconnects. */
export async function stream(response: ServerResponse, parts: Iterable<Buffer>): Promise<void> {
  try {
    await pipeline(Readable.from(parts, { objectMode: false }), response)
  } catch {
    response.destroy()
  }
}
