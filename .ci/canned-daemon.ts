import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { spliceErrors } from '../src/base/errors/splice.ts'

interface Canned {
  readonly status: number
  readonly body: string
  readonly agreed?: string
  readonly error?: string
}

const contract =
  '"template_id":"a:B:C","contract_id":"00","created_event_blob":"","created_at":"2026-01-01T00:00:00Z"'

const answers: Readonly<Record<string, Canned>> = {
  'a number that no double holds': {
    status: 200,
    agreed: '"a", %"caf%c3%a9"',
    body: `{"featured_apps":[{${contract},"payload":{"number":12345678901234567890.5,"small":1}}]}`,
  },
  'a key twice': { status: 200, agreed: '"a", "b"', body: '{"featured_apps":[],"featured_apps":[]}' },
  'half a character': { status: 200, agreed: '"a", "b"', body: '{"featured_apps":["\\ud800"]}' },
  'a page of somebody else': { status: 200, body: '<html>hello</html>' },
  'a gateway that is down': { status: 502, body: 'Bad Gateway' },
  ...Object.fromEntries(
    Object.entries(spliceErrors).map(([code, { status, text }]) => [
      code,
      { status, error: code, body: JSON.stringify({ error: text.replaceAll(/\{\w+\}/g, 'x (y) [z]') }) },
    ]),
  ),
}

export interface CannedDaemon extends AsyncDisposable {
  readonly url: string
  /** The names of the answers. The path of an answer is `/`, its URL-encoded name, and anything after it. */
  readonly names: readonly string[]
}

export async function startCannedDaemon(): Promise<CannedDaemon> {
  const server = createServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.split('/')[1] ?? '')
    const { status, body, agreed, error } = answers[name] ?? { status: 404, body: 'there is no such answer' }
    const quorum = agreed && {
      'x-bft-quorum': 'agreed=2, threshold=2, asked=2, voters=4',
      'x-bft-agreed': agreed,
    }
    const headers = {
      'retry-after': '7',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
    }
    response.writeHead(status, { ...headers, ...quorum, ...(error && { 'x-bft-error': error }) }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    names: Object.keys(answers),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
