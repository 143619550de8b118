import { ACSReader, awaitCompletion } from '@canton-network/core-acs-reader'
import { WebSocketClient } from '@canton-network/core-asyncapi-client'
import { LedgerClient } from '@canton-network/core-ledger-client'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { type Daemon, startDaemon } from '../../src/daemon.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { configOf, written } from '../config/config.ts'
import { advance, Caller } from '../support/caller.ts'

const config = configOf(written({ 'http.port': 0, 'operations.port': 0 }))
const name = 'alice.unverified.cns'

async function accessOf(userId: string) {
  const accessToken = (await mintToken(userId, config)) as string
  return { getAccessToken: async () => accessToken, getAuthContext: async () => ({ userId, accessToken }) }
}

let daemon: Daemon
let client: LedgerClient
let alice: string
/** The id of a command that was carried out for the user `alice`. */
let commandId: string
let end: number
beforeAll(async () => {
  daemon = await startDaemon(config, { logger: silentLogger })
  const caller = await Caller.of('alice')
  const { subscriptionRequestCid } = await caller.ask(daemon.http, name)
  await caller.tap(daemon.http, '10.0')
  await caller.accept(daemon.http, subscriptionRequestCid)
  await advance(daemon.localnet?.control ?? '', '0s')
  alice = (await caller.get(daemon.http, 'GET /v0/wallet/user-status')).party_id
  const asked = { parties: [alice], userId: 'alice' }
  const completions = await caller.get(daemon.http, 'POST /v2/commands/completions?limit=1', asked)
  commandId = completions[0].completionResponse.Completion.value.commandId
  const accessTokenProvider = await accessOf('alice')
  const logger = pino({ level: 'silent' })
  client = new LedgerClient({ baseUrl: new URL(daemon.http), logger, accessTokenProvider })
  end = (await client.get('/v2/state/ledger-end')).offset ?? 0
})
afterAll(() => daemon[Symbol.asyncDispose]())

interface Call {
  readonly requestMethod: 'get' | 'post'
  readonly resource: string
  readonly path?: object
  readonly query?: object
  readonly body?: unknown
}

const entries = ['#splice-amulet-name-service:Splice.Ans:AnsEntry']

function formatOf(party: string) {
  const eventFormat = { filtersByParty: { [party]: { cumulative: [] } }, verbose: false }
  return {
    includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' as const },
  }
}

describe("the Canton Network's own ledger client reads the embedded ledger", () => {
  /** Some operations are not in the client's types, so `post` goes past the types. */
  const post = (path: string, body: object) => client.post(path as '/v2/updates', body as never)

  test('it begins with the version', async () => {
    await client.init()
    expect(await client.get('/v2/version')).toMatchObject({ version: expect.stringMatching(/^3\.6\./) })
  })

  test('it reads the end and what was pruned', async () => {
    expect(await client.get('/v2/state/ledger-end')).toMatchObject({ offset: end })
    expect(end).toBeGreaterThan(5)
    expect(await client.get('/v2/state/latest-pruned-offsets')).toEqual({
      participantPrunedUpToInclusive: 0,
      allDivulgedContractsPrunedUpToInclusive: 0,
    })
  })

  test('it reads updates, each by its offset and by its id, and pages of them', async () => {
    const updateFormat = formatOf(alice)
    const range = { beginExclusive: 0, endInclusive: end, updateFormat, verbose: false }
    const updates = await client.post('/v2/updates', range, { query: { limit: 200 } })
    expect(JSON.stringify(updates)).toContain('AnsEntryContext_CollectInitialEntryPayment')
    for (const update of updates as unknown as readonly { update: { Transaction: { value: never } } }[]) {
      const { offset, updateId } = update.update.Transaction.value
      expect(await client.post('/v2/updates/update-by-offset', { offset, updateFormat })).toEqual(update)
      expect(await client.post('/v2/updates/update-by-id', { updateId, updateFormat })).toEqual(update)
    }
    const seen: unknown[] = []
    for (let pageToken: string | undefined; ; ) {
      const asked = { updateFormat, maxPageSize: 3, endOffsetInclusive: end, pageToken }
      const page = (await post('/v2/updates/get-updates-page', asked)) as unknown as {
        updates: unknown[]
        nextPageToken: string | null
      }
      expect(page.updates.length).toBeLessThanOrEqual(3)
      seen.push(...page.updates)
      if (page.nextPageToken === null) break
      pageToken = page.nextPageToken
    }
    expect(seen).toEqual(updates)
  })

  test('it reads the older form', async () => {
    const filter = { filtersByParty: { [alice]: {} } }
    const updates = await client.post('/v2/updates', {
      beginExclusive: 0,
      endInclusive: end,
      filter,
      verbose: true,
    } as never)
    expect(JSON.stringify(updates)).toContain(name)
  })

  test('it reads active contracts', async () => {
    const eventFormat = { filtersByParty: { [alice]: { cumulative: [] } }, verbose: false }
    const asked = { activeAtOffset: end, eventFormat, verbose: false }
    expect(JSON.stringify(await client.post('/v2/state/active-contracts', asked))).toContain(
      `"name":"${name}"`,
    )
  })

  /** What `core-acs-reader` takes: it calls any client of the API through this method. */
  const provider = () => ({
    request: ({ params }: { params: Call }) => {
      const { requestMethod, resource, path, query, body } = params
      const given = { ...(path && { path }), ...(query && { query }) } as never
      return requestMethod === 'get'
        ? client.get(resource as '/v2/version', given)
        : client.post(resource as '/v2/updates', body as never, given)
    },
  })

  test('it learns who its user is, and which parties and packages there are', async () => {
    expect(await client.get('/v2/authenticated-user')).toMatchObject({
      user: { id: 'alice', primaryParty: alice },
    })
    expect(await client.createUser('alice', alice)).toMatchObject({ id: 'alice' })
    expect(await client.get('/v2/users/{user-id}/rights', { path: { 'user-id': 'alice' } })).toEqual({
      rights: [{ kind: { CanActAs: { value: { party: alice } } } }],
    })
    expect(await client.checkIfPartyExists(alice)).toBe(true)
    expect(await client.checkIfPartyExists('nobody::1220')).toBe(false)
    expect(await client.getSynchronizerId()).toMatch(/^global-domain::/)
    expect(await client.get('/v2/parties/participant-id')).toMatchObject({
      participantId: expect.any(String),
    })
    expect(await client.get('/v2/packages')).toMatchObject({ packageIds: expect.any(Array) })
  })

  test('it waits for the completion of a command', async () => {
    const found = await awaitCompletion(provider() as never, 0, alice as never, 'alice', commandId)
    expect(found).toMatchObject({ commandId, actAs: [alice] })
  })

  test('it reads active contracts by walking through the updates', async () => {
    const options = { parties: [alice], filterByParty: true, continueUntilCompletion: true, limit: 200 }
    expect(await new ACSReader(provider() as never).raw.read(options)).toEqual(expect.any(Array))
  })

  test('it follows updates and completions over WebSockets', async () => {
    const accessTokenProvider = await accessOf('alice')
    // The SDK makes such a base URL of the client, with a slash too many.
    const sockets = new WebSocketClient({
      baseUrl: `${daemon.http.replace('http', 'ws')}/`,
      accessTokenProvider,
    })
    const partyId = alice as never
    const streams = {
      update: sockets.streamUpdates({ beginExclusive: 0, partyId, templateIds: entries }),
      completionResponse: sockets.streamCompletions({
        beginExclusive: 0,
        userId: 'alice',
        parties: [partyId],
      }),
    }
    for (const [kind, stream] of Object.entries(streams)) {
      const { value } = await stream.next()
      expect(Object.keys(value)).toEqual([kind])
      await stream.return?.()
    }
  })
})
