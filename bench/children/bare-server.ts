import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../child.ts'

/** What it answers, whatever it is asked. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** On how many ports; one where it is left out. */
  readonly count?: number
}

let urls: readonly string[] = []
let requests = 0

serveParent({
  async start({ headers, body, count = 1 }: Answer) {
    const bytes = Buffer.from(body)
    const open = async () => {
      const server = createServer((_request, response) => {
        requests++
        response.writeHead(200, headers)
        response.end(bytes)
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    urls = await Promise.all(Array.from({ length: count }, open))
  },
  url: () => urls[0],
  urls: () => urls,
  requests: () => requests,
})
