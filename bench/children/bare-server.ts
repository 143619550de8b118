import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../child.ts'

/** What it answers, whatever it is asked. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

let url = ''
let requests = 0

serveParent({
  async start({ headers, body }: Answer) {
    const bytes = Buffer.from(body)
    const server = createServer((_request, response) => {
      requests++
      response.writeHead(200, headers)
      response.end(bytes)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  url: () => url,
  requests: () => requests,
})
