import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface OldTime {
  readonly path: string
  readonly member: string
  readonly lateMs: number
}

/** Relays the answers of another scan, with an older time in one member. */
export class LateScan implements AsyncDisposable {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async of(url: string, old: OldTime): Promise<LateScan> {
    const server = createServer((request, response) => void relay(url, old, request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new LateScan(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }
}

async function relay(
  url: string,
  old: OldTime,
  { method = '', url: target = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { req: request } = response
  const body = await buffer(request)
  const type = { 'content-type': headers['content-type'] ?? 'application/json' }
  const heard = await fetch(url + target, { method, headers: type, ...(method === 'POST' && { body }) })
  const text = await heard.text()
  response.writeHead(heard.status, { 'content-type': 'application/json' })
  response.end(target.includes(old.path) ? withOld(text, old) : text)
}

function withOld(text: string, { member, lateMs }: OldTime): string {
  return JSON.stringify(JSON.parse(text), (key, value) =>
    key === member ? new Date(Date.parse(value) - lateMs).toISOString() : value,
  )
}
