import type { Duplex } from 'node:stream'
import { sayLast } from './last-words.ts'

export interface RawRefusal {
  readonly statusLine: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

export function refuseRaw(socket: Duplex, { statusLine, headers, body }: RawRefusal): void {
  const length = Buffer.byteLength(body)
  const all = {
    connection: 'close',
    'content-type': 'application/json',
    'content-length': length,
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  sayLast(socket, `HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n${body}`)
}

/** Returns undefined if the connection can carry no response. */
export function statusLineOf({ code }: NodeJS.ErrnoException, { writable }: Duplex): string | undefined {
  if (code === 'ECONNRESET' || !writable) return undefined
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large'
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request'
}
