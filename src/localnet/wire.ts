import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Reply } from './reply.ts'

export function sendWhole(response: ServerResponse, { status, head, body }: Reply): void {
  if (response.destroyed) return
  response.writeHead(status, head as string[]).end(body)
}

/**
 * @param length the value of `content-length`, right or wrong. With `chunked`, that header is not
 * sent.
 */
export function sendHead(response: ServerResponse, reply: Reply, length: number | 'chunked'): void {
  const at = reply.head.indexOf('content-length')
  const head = reply.head.toSpliced(at, 2)
  if (length !== 'chunked') head.push('content-length', String(length))
  response.writeHead(reply.status, head)
  response.flushHeaders()
}

export function firstHalf({ body }: Reply): Buffer {
  return body.subarray(0, Math.floor(body.length / 2))
}

export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}

export async function stream(response: ServerResponse, parts: Iterable<Buffer>): Promise<void> {
  try {
    await pipeline(Readable.from(parts, { objectMode: false }), response)
  } catch {
    response.destroy()
  }
}
