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

let daemon: Daemon
let alice: string
let end: number

beforeAll(async () => {
  daemon = await startDaemon(config, { logger: silentLogger })
  const caller = await Caller.of('alice')
  const { subscriptionRequestCid } = await caller.ask(daemon.http, name)
  await caller.tap(daemon.http, '10.0')
  await caller.accept(daemon.http, subscriptionRequestCid)
  await advance(daemon.localnet?.control ?? '', '0s')
  alice = (await caller.get(daemon.http, 'GET /v0/wallet/user-status')).party_id
  end = (await (await clientOf('alice')).get('/v2/state/ledger-end')).offset ?? 0
})
afterAll(() => daemon[Symbol.asyncDispose]())

async function clientOf(user: string): Promise<LedgerClient> {
  const accessToken = (await mintToken(user, config)) as string
  const accessTokenProvider = {
    getAccessToken: async () => accessToken,
    getAuthContext: async () => ({ userId: user, accessToken }),
  }
  const logger = pino({ level: 'silent' })
  return new LedgerClient({ baseUrl: new URL(daemon.http), logger, accessTokenProvider })
}

/** A format for one party, in the form that every version of the API takes. */
function formatOf(party: string) {
  const eventFormat = { filtersByParty: { [party]: { cumulative: [] } }, verbose: false }
  return {
    includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' as const },
  }
}

describe("the Canton Network's own ledger client reads the embedded ledger", () => {
  test('it begins with the version', async () => {
    const client = await clientOf('alice')
    await client.init()
    expect(await client.get('/v2/version')).toMatchObject({ version: expect.stringMatching(/^3\./) })
  })

  test('it reads the end and what was pruned', async () => {
    const client = await clientOf('alice')
    expect(await client.get('/v2/state/ledger-end')).toMatchObject({ offset: expect.any(Number) })
    expect(await client.get('/v2/state/latest-pruned-offsets')).toEqual({
      participantPrunedUpToInclusive: 0,
      allDivulgedContractsPrunedUpToInclusive: 0,
    })
  })

  test('it reads updates, one of them by its offset and by its id, and pages of them', async () => {
    const client = await clientOf('alice')
    const range = { beginExclusive: 0, endInclusive: end, updateFormat: formatOf(alice), verbose: false }
    const updates = await client.post('/v2/updates', range, { query: { limit: 200 } })
    expect(JSON.stringify(updates)).toContain('AnsEntryContext_CollectInitialEntryPayment')
    const [first] = updates as readonly {
      update: { Transaction: { value: { offset: number; updateId: string } } }
    }[]
    const { offset, updateId } = first?.update.Transaction.value ?? { offset: 0, updateId: '' }
    const updateFormat = formatOf(alice)
    expect(await client.post('/v2/updates/update-by-offset', { offset, updateFormat })).toEqual(first)
    expect(await client.post('/v2/updates/update-by-id', { updateId, updateFormat })).toEqual(first)
    const path = '/v2/updates/get-updates-page' as '/v2/updates'
    const page = { updateFormat, maxPageSize: 2000, endOffsetInclusive: end }
    expect(await client.post(path, page as never)).toMatchObject({ updates, nextPageToken: null })
  })

  test('it reads active contracts', async () => {
    const client = await clientOf('alice')
    const eventFormat = { filtersByParty: { [alice]: { cumulative: [] } }, verbose: false }
    const asked = { activeAtOffset: end, eventFormat, verbose: false }
    const active = await client.post('/v2/state/active-contracts', asked)
    expect(JSON.stringify(active)).toContain(`"name":"${name}"`)
  })

  test('it tells an error as Canton does', async () => {
    const client = await clientOf('alice')
    const asked = {
      beginExclusive: 0,
      endInclusive: 1,
      updateFormat: formatOf('somebody::1220'),
      verbose: false,
    }
    await expect(client.post('/v2/updates', asked)).rejects.toMatchObject({ code: 'NA', grpcCodeValue: 7 })
  })
})
