import { SignJWT } from 'jose'
import { type Clock, milliseconds } from '../../src/base/lib/clock.ts'
import { silentLogger } from '../../src/base/telemetry/logger.ts'
import { LedgerApi } from '../../src/registry/ledger/api/ledger-api.ts'
import type { DeprecatedFields } from '../../src/registry/ledger/api/requests.ts'
import type { EmbeddedLedger } from '../../src/registry/ledger/embedded/embedded-ledger.ts'
import { Users } from '../../src/registry/names/users.ts'
import type { LedgerTokenRules } from '../../src/server/auth/ledger-access.ts'
import { ledgerAccess } from '../../src/server/auth/ledger-access.ts'
import { JoseVerifier } from '../../src/server/auth/verifier.jose.ts'
import { ledgerApiRoutes } from '../../src/server/http/routes/ledger-api.ts'
import { ledgerStreams } from '../../src/server/http/routes/ledger-streams.ts'
import { HttpServer } from '../../src/server/http/server.ts'
import { WsSockets } from '../../src/server/http/sockets.ws.ts'
import { openNetwork } from '../automation/network.ts'
import { type AskOptions, ask } from '../localnet/ask.ts'
import { publicApi } from './public-api.ts'

export interface LedgerDoorsOptions {
  /** By default, the clock of the name service. */
  readonly clock?: Clock
  readonly maxListElements?: number
  readonly mostStreams?: number
  /** By default `all`, so that the older form can be tried on every path that ever took it. */
  readonly deprecatedFields?: DeprecatedFields
  readonly jwksUrl?: string
  readonly rules?: Omit<LedgerTokenRules, 'participantId'>
  /** Wraps the ledger of the name service, so that a test can add faults to it. */
  readonly ledger?: (real: EmbeddedLedger) => EmbeddedLedger
}

export interface LedgerHeard {
  readonly status: number
  readonly type: string | undefined
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of many types from it
  readonly json: any
}

export interface As extends AskOptions {
  readonly as?: string
  /** Is sent unchanged, in place of the token of `as`. */
  readonly token?: string
}

/** The user who may read as any party. */
export const anyone = 'ledger-api-user'

export async function openLedgerDoors(options: LedgerDoorsOptions = {}) {
  await using opened = new AsyncDisposableStack()
  const net = opened.use(await openNetwork())
  const clock = options.clock ?? net.clock
  const ledger = options.ledger?.(net.ledger) ?? net.ledger
  const { participantId } = net.ledger
  const verifier = new JoseVerifier(
    { unsafeSecret: 'unsafe', jwksUrl: options.jwksUrl },
    { clock: net.clock },
  )
  const access = ledgerAccess(
    { rules: () => options.rules ?? {}, participantId, anyPartyUsers: [anyone] },
    { verifier, users: new Users(ledger) },
  )
  const { mostStreams, maxListElements = 200, deprecatedFields = 'all' } = options
  const limits = mostStreams === undefined ? {} : { mostStreams }
  const deps = { ledger, clock, tokenClock: net.clock, access }
  const updates = opened.use(new LedgerApi({ anyPartyUsers: [anyone], ...limits }, deps))
  const api = publicApi({
    ledgerApiRoutes: ledgerApiRoutes({ maxListElements, deprecatedFields }, { service: updates, clock }),
    clock,
  })
  const slow = { readers: 0 }
  const sockets = new WsSockets(ledgerStreams({ service: updates, deprecatedFields, logger: silentLogger }), {
    clock,
    refuse: api.refuse,
    tellSlow: () => {
      slow.readers++
    },
  })
  const server = await HttpServer.listen(
    { host: '127.0.0.1', port: 0 },
    { fetch: api.fetch, upgrades: sockets },
    clock,
  )
  opened.defer(() => server.close(0))

  const tokenOf = (user: string, claims: object = {}, lifetime: number = milliseconds('1h')) =>
    new SignJWT({ scope: 'daml_ledger_api', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(user)
      .setExpirationTime(new Date(net.clock.wall() + lifetime))
      .sign(new TextEncoder().encode('unsafe'))

  const asks = async (
    line: string,
    body?: unknown,
    { as, token, ...rest }: As = {},
  ): Promise<LedgerHeard> => {
    const [method = '', path = ''] = line.split(' ')
    const bearer = token ?? (as === undefined ? undefined : await tokenOf(as))
    const authorization: Record<string, string> =
      bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const headers = { ...authorization, ...rest.headers }
    const heard = await ask(server.url, path, { method, ...sent, ...rest, headers })
    const type = heard.headers['content-type'] as string | undefined
    const json = type === 'application/json' && heard.text !== '' ? JSON.parse(heard.text) : undefined
    return { status: heard.status, type, text: heard.text, json }
  }
  const held = opened.move()
  return {
    net,
    url: server.url,
    updates,
    /** Counts the readers that were closed because they read too slowly. */
    slow,
    asks,
    tokenOf,
    /** Sends the request as `anyone`, and rejects if the status is not 200. */
    async gets(line: string, body?: unknown) {
      const heard = await asks(line, body, { as: anyone })
      if (heard.status !== 200) throw new Error(`${line}: ${heard.status} ${heard.text}`)
      return heard.json
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

export type LedgerDoors = Awaited<ReturnType<typeof openLedgerDoors>>

const wildcard = { cumulative: [] }

export function eventsOf(...parties: readonly string[]) {
  if (parties.length === 0) return { filtersByParty: {}, filtersForAnyParty: wildcard, verbose: false }
  return { filtersByParty: Object.fromEntries(parties.map((party) => [party, wildcard])), verbose: false }
}

export function updatesOf(eventFormat: object, transactionShape = 'TRANSACTION_SHAPE_ACS_DELTA') {
  return { includeTransactions: { eventFormat, transactionShape } }
}

export function filtering(identifierFilter: object) {
  return { filtersForAnyParty: { cumulative: [{ identifierFilter }] } }
}
