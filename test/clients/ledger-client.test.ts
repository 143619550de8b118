import { awaitCompletion } from '@canton-network/core-acs-reader'
import { LedgerClient } from '@canton-network/core-ledger-client'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import type { Daemon } from '../../src/daemon.ts'
import { configOf } from '../config/config.ts'
import { advance, Caller } from '../support/caller.ts'
import { startEmbedded } from '../support/daemon.ts'

const name = 'alice.unverified.cns'

async function accessOf(userId: string) {
  const accessToken = (await mintToken(userId, configOf({}))) as string
  return { getAccessToken: async () => accessToken, getAuthContext: async () => ({ userId, accessToken }) }
}

let daemon: Daemon
let client: LedgerClient
let alice: string
/** The id of a command that was carried out for the user `alice`. */
let commandId: string
let end: number
beforeAll(async () => {
  daemon = (await startEmbedded()).daemon
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

  test('it learns that its user and its party exist, and the synchronizer', async () => {
    expect(await client.createUser('alice', alice)).toMatchObject({ id: 'alice' })
    expect(await client.checkIfPartyExists(alice)).toBe(true)
    expect(await client.checkIfPartyExists('nobody::1220')).toBe(false)
    expect(await client.getSynchronizerId()).toMatch(/^global-domain::/)
  })

  test('it waits for the completion of a command', async () => {
    const found = await awaitCompletion(provider() as never, 0, alice as never, 'alice', commandId)
    expect(found).toMatchObject({ commandId, actAs: [alice] })
  })
})
