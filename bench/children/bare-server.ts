import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../child.ts'

/** The answer of a bare server to every request. */
export interface Answer {
  /** The headers, without `content-length`. */
  readonly headers: Readonly<Record<string, string>>
  /** The bodies. Each is served on a port of its own. */
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
