import { once } from 'node:events'
import { createServer } from 'node:http'
import { onLoopback } from './on-loopback.ts'
import { madeReceipt, nameBody, type Testimony, type TestKey } from './receipt-signer.ts'

export interface SigningServer extends AsyncDisposable {
  readonly url: string
  readonly asked: Readonly<Record<string, unknown>>[]
}

export interface SigningBehaviour extends Partial<Omit<Testimony, 'key'>> {
  readonly silent?: boolean
  readonly hangs?: boolean
  /** The key that the directory lists in place of the server's key; `none` for an empty directory. */
  readonly lists?: TestKey | 'none'
}

export async function startSigningServer(
  key: TestKey,
  { silent = false, hangs = false, lists = key, ...given }: SigningBehaviour = {},
): Promise<SigningServer> {
  const asked: Readonly<Record<string, unknown>>[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(headers)
    if (hangs) return
    if (url === '/.well-known/http-message-signatures-directory') {
      const keys = lists === 'none' ? [] : [{ ...lists.jwk, kid: lists.keyid, nbf: 0, exp: 1 }]
      response.end(JSON.stringify({ keys }))
      return
    }
    const created = Math.floor(Date.now() / 1000)
    const made = madeReceipt(key, { path: url, created, expires: created + 300, body: nameBody, ...given })
    const signed = silent ? { 'content-type': 'application/json' } : made.response.headers
    response.writeHead(made.response.status, signed).end(made.response.body)
  })
  const { port } = await onLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
