import { SignJWT } from 'jose'
import { expect } from 'vitest'
import { SpliceError } from '../../src/base/errors/splice.ts'
import { type Clock, milliseconds } from '../../src/base/lib/clock.ts'
import { JoseVerifier } from '../../src/server/auth/verifier.jose.ts'
import { registryRoutes } from '../../src/server/http/routes/entry.ts'
import type { LedgerRoute } from '../../src/server/http/routes/route.ts'
import { walletRoutes } from '../../src/server/http/routes/wallet.ts'
import { HttpServer } from '../../src/server/http/server.ts'
import { openNetwork } from '../automation/network.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import { publicApi } from './public-api.ts'

const secret = 'unsafe'

export async function openRegistry() {
  await using opened = new AsyncDisposableStack()
  const net = opened.use(await openNetwork())
  const verifier = new JoseVerifier({ unsafeSecret: secret }, { clock: net.clock })
  const { users, registry, wallet, clock } = net
  const deps = { verifier, users, registry, wallet }
  const ledgerRoutes = [...registryRoutes(deps), ...walletRoutes(deps)].map(declared)
  const address = { host: '127.0.0.1', port: 0 }
  const server = await HttpServer.listen(address, publicApi({ ledgerRoutes, clock }), clock)
  opened.defer(() => server.close(0))

  const asks = async (user: string | undefined, line: string, body?: unknown, options: AskOptions = {}) => {
    const [method = '', path = ''] = line.split(' ')
    const token = user === undefined ? undefined : await tokenOf(user, net.clock)
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    return ask(server.url, path, { method, ...sent, ...options, headers: { ...headers, ...options.headers } })
  }
  const gets = async (user: string, line: string, body?: unknown) => {
    const heard = await asks(user, line, body)
    if (heard.status !== 200) throw new Error(`${line}: ${heard.status} ${heard.text}`)
    return heard.text === '' ? undefined : JSON.parse(heard.text)
  }
  const held = opened.move()
  return {
    net,
    url: server.url,
    asks,
    gets,
    tokenOf: (user: string) => tokenOf(user, net.clock),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

export function errorOf({ text }: Heard): string {
  return JSON.parse(text).error
}

function tokenOf(user: string, clock: Clock): Promise<string> {
  const expires = new Date(clock.wall() + milliseconds('1h'))
  const jwt = new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(user).setExpirationTime(expires)
  return jwt.sign(new TextEncoder().encode(secret))
}

/** The route, which fails if it does not declare the body or the error with which it answers. */
function declared(route: LedgerRoute): LedgerRoute {
  return {
    ...route,
    async handler(c) {
      const body = await route.handler(c).catch((error: unknown) => {
        if (!(error instanceof SpliceError) || route.refusals.includes(error.code)) throw error
        throw new Error(`${route.id} does not declare that it refuses with ${error.code}`)
      })
      expect(route.gives?.parse(body)).toEqual(body)
      return body
    },
  }
}
