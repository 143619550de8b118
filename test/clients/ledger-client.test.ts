import { LedgerClient } from '@canton-network/core-ledger-client'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { startDaemon } from '../../src/daemon.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { configOf, written } from '../config/config.ts'
import { advance, Caller } from '../support/caller.ts'
import { startLiveStage } from '../support/daemon.ts'
import { FakeParticipant } from '../support/fake-participant.ts'

const config = configOf(written({ 'http.port': 0, 'operations.port': 0 }))
const name = 'alice.unverified.cns'

interface Stage extends AsyncDisposable {
  readonly url: string
  readonly alice: string
  readonly mark: string
  /**
   * The hash of an update that was signed externally, in Base64. Undefined if the ledger cannot have an update of this
   * kind.
   */
  readonly hash: string | undefined
}

async function tokenOf(user: string): Promise<string> {
  return (await mintToken(user, config)) as string
}

async function onEmbedded(): Promise<Stage> {
  const daemon = await startDaemon(config, { logger: silentLogger })
  const caller = await Caller.of('alice')
  const { subscriptionRequestCid } = await caller.ask(daemon.http, name)
  await caller.tap(daemon.http, '10.0')
  await caller.accept(daemon.http, subscriptionRequestCid)
  await advance(daemon.localnet?.control ?? '', '0s')
  const alice = (await caller.get(daemon.http, 'GET /v0/wallet/user-status')).party_id
  return {
    url: daemon.http,
    alice,
    mark: 'AnsEntryContext_CollectInitialEntryPayment',
    hash: undefined,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

async function onParticipant(): Promise<Stage> {
  const fake = await FakeParticipant.listen()
  const live = await startLiveStage({ config: { 'ledger.driver': 'participant', 'ledger.url': fake.url } })
  const alice = fake.user(await tokenOf('alice'), 'alice')
  fake.grow(alice, 20)
  fake.create('Splice.Ans:AnsEntry', [alice], { user: alice, name })
  return {
    url: live.daemon.http,
    alice,
    mark: 'name-7.unverified.cns',
    hash: fake.sign(1),
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

function formatOf(party: string) {
  const eventFormat = { filtersByParty: { [party]: { cumulative: [] } }, verbose: false }
  return {
    includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' as const },
  }
}

describe.each([
  ['the embedded ledger', onEmbedded],
  ['a participant', onParticipant],
])("the Canton Network's own ledger client reads %s", (_what, open) => {
  let stage: Stage
  let client: LedgerClient
  let end: number
  beforeAll(async () => {
    stage = await open()
    const accessToken = await tokenOf('alice')
    const accessTokenProvider = {
      getAccessToken: async () => accessToken,
      getAuthContext: async () => ({ userId: 'alice', accessToken }),
    }
    const logger = pino({ level: 'silent' })
    client = new LedgerClient({ baseUrl: new URL(stage.url), logger, accessTokenProvider })
    end = (await client.get('/v2/state/ledger-end')).offset ?? 0
  })
  afterAll(() => stage[Symbol.asyncDispose]())

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
    const updateFormat = formatOf(stage.alice)
    const range = { beginExclusive: 0, endInclusive: end, updateFormat, verbose: false }
    const updates = await client.post('/v2/updates', range, { query: { limit: 200 } })
    expect(JSON.stringify(updates)).toContain(stage.mark)
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

  test('it reads an update by its hash, where there is one', async () => {
    const transactionHash = stage.hash ?? Buffer.alloc(32, 7).toString('base64')
    const asked = post('/v2/updates/update-by-hash', { transactionHash, updateFormat: formatOf(stage.alice) })
    if (stage.hash !== undefined)
      expect(await asked).toMatchObject({ update: { Transaction: { value: { offset: 1 } } } })
    else await expect(asked).rejects.toMatchObject({ code: 'UPDATE_NOT_FOUND' })
  })

  test('it reads the older form', async () => {
    const filter = { filtersByParty: { [stage.alice]: {} } }
    const updates = await client.post('/v2/updates', {
      beginExclusive: 0,
      endInclusive: end,
      filter,
      verbose: true,
    } as never)
    expect(JSON.stringify(updates)).toContain(name)
  })

  test('it reads active contracts', async () => {
    const eventFormat = { filtersByParty: { [stage.alice]: { cumulative: [] } }, verbose: false }
    const asked = { activeAtOffset: end, eventFormat, verbose: false }
    expect(JSON.stringify(await client.post('/v2/state/active-contracts', asked))).toContain(
      `"name":"${name}"`,
    )
  })

  test("it gets errors in Canton's form", async () => {
    const updateFormat = formatOf(stage.alice)
    const asked = { beginExclusive: 0, endInclusive: end + 9, updateFormat, verbose: false }
    await expect(client.post('/v2/updates', asked)).rejects.toMatchObject({ code: 'OFFSET_AFTER_LEDGER_END' })
    await expect(client.post('/v2/updates', { ...asked, beginExclusive: -1 })).rejects.toMatchObject({
      code: 'NEGATIVE_OFFSET',
    })
  })
})

test('the client is refused everything that the rights of its user do not cover', async () => {
  await using stage = await onEmbedded()
  const accessToken = await tokenOf('alice')
  const client = new LedgerClient({
    baseUrl: new URL(stage.url),
    logger: pino({ level: 'silent' }),
    accessTokenProvider: {
      getAccessToken: async () => accessToken,
      getAuthContext: async () => ({ userId: 'alice', accessToken }),
    },
  })
  const asked = {
    beginExclusive: 0,
    endInclusive: 1,
    updateFormat: formatOf('somebody::1220'),
    verbose: false,
  }
  await expect(client.post('/v2/updates', asked)).rejects.toMatchObject({ code: 'NA', grpcCodeValue: 7 })
})
