import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../child.ts'

/** The answers of a bare server. Only the port of a request decides which one it gets. */
export interface Answer {
  /** The headers of every answer, without `content-length`. */
  readonly headers: Readonly<Record<string, string>>
  /** The bodies. The server has a port for each body, and answers every request on that port with this body. */
  readonly bodies: readonly string[]
}

let urls: readonly string[] = []
let requests = 0

serveParent({
  async start({ headers, bodies }: Answer) {
    const open = async (body: string) => {
      const bytes = Buffer.from(body)
      const whole = { ...headers, 'content-length': String(bytes.length) }
      const server = createServer((_request, response) => {
        requests++
        response.writeHead(200, whole)
        response.end(bytes)
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    urls = await Promise.all(bodies.map(open))
  },
  url: () => urls[0],
  urls: () => urls,
  requests: () => requests,
})
