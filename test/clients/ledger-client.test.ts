import { ACSReader, awaitCompletion } from '@canton-network/core-acs-reader'
import { WebSocketClient } from '@canton-network/core-asyncapi-client'
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
  /** The id of a command that was carried out for the user `alice`. */
  readonly commandId: string
  /**
   * The hash of an update that was signed externally, in Base64. Undefined if the ledger cannot have an update of this
   * kind.
   */
  readonly hash: string | undefined
  /** Whether active contracts are refused in the older form. The fake participant takes it, as some are set up to. */
  readonly isStrict: boolean
}

/** The participant of the tests knows one token of a user, so that every caller has to send the same. */
const tokens = new Map<string, Promise<string>>()

function tokenOf(user: string): Promise<string> {
  const minted = tokens.get(user) ?? (mintToken(user, config) as Promise<string>)
  tokens.set(user, minted)
  return minted
}

async function accessOf(userId: string) {
  const accessToken = await tokenOf(userId)
  return { getAccessToken: async () => accessToken, getAuthContext: async () => ({ userId, accessToken }) }
}

async function onEmbedded(): Promise<Stage> {
  const daemon = await startDaemon(config, { logger: silentLogger })
  const caller = await Caller.of('alice')
  const { subscriptionRequestCid } = await caller.ask(daemon.http, name)
  await caller.tap(daemon.http, '10.0')
  await caller.accept(daemon.http, subscriptionRequestCid)
  await advance(daemon.localnet?.control ?? '', '0s')
  const alice = (await caller.get(daemon.http, 'GET /v0/wallet/user-status')).party_id
  const asked = { parties: [alice], userId: 'alice' }
  const completions = await caller.get(daemon.http, 'POST /v2/commands/completions?limit=1', asked)
  return {
    url: daemon.http,
    alice,
    commandId: completions[0].completionResponse.Completion.value.commandId,
    mark: 'AnsEntryContext_CollectInitialEntryPayment',
    hash: undefined,
    isStrict: true,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

async function onParticipant(): Promise<Stage> {
  const fake = await FakeParticipant.listen()
  const live = await startLiveStage({ config: { 'ledger.driver': 'participant', 'ledger.url': fake.url } })
  const alice = fake.user(await tokenOf('alice'), 'alice')
  fake.allocate(alice)
  fake.grow(alice, 20)
  fake.commit({ nodes: [], commandId: 'carried-out', actAs: [alice] })
  fake.create('Splice.Ans:AnsEntry', [alice], { user: alice, name })
  return {
    url: live.daemon.http,
    alice,
    commandId: 'carried-out',
    mark: 'name-7.unverified.cns',
    hash: fake.sign(2),
    isStrict: false,
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

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

describe.each([
  ['the embedded ledger', onEmbedded],
  ['a participant', onParticipant],
])("the Canton Network's own ledger client reads %s", (_what, open) => {
  let stage: Stage
  let client: LedgerClient
  let end: number
  beforeAll(async () => {
    stage = await open()
    const accessTokenProvider = await accessOf('alice')
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
      expect(await asked).toMatchObject({ update: { Transaction: { value: { offset: 2 } } } })
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
    const { alice } = stage
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
    const { alice, commandId } = stage
    const found = await awaitCompletion(provider() as never, 0, alice as never, 'alice', commandId)
    expect(found).toMatchObject({ commandId, actAs: [alice] })
  })

  test('it reads active contracts by walking through the updates', async () => {
    const options = { parties: [stage.alice], filterByParty: true, continueUntilCompletion: true, limit: 200 }
    expect(await new ACSReader(provider() as never).raw.read(options)).toEqual(expect.any(Array))
  })

  test('it follows updates and completions over WebSockets', async () => {
    const accessTokenProvider = await accessOf('alice')
    // The SDK makes such a base URL of the client, with a slash too many.
    const sockets = new WebSocketClient({
      baseUrl: `${stage.url.replace('http', 'ws')}/`,
      accessTokenProvider,
    })
    const partyId = stage.alice as never
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

  test('it is refused what Canton 3.6 refuses', async () => {
    const pages = new ACSReader(provider() as never).paginated.raw
    const options = { parties: [stage.alice], filterByParty: true }
    const updateFormat = formatOf(stage.alice)
    const refused = [
      () => pages.read(options),
      ...(stage.isStrict ? [() => new ACSReader(provider() as never).raw.read(options)] : []),
      () => post('/v2/updates/flats', { beginExclusive: 0, updateFormat, verbose: false }),
      () => post('/v2/updates/trees', { beginExclusive: 0, updateFormat, verbose: false }),
      () => post('/v2/updates/transaction-by-id', { updateId: '12', requestingParties: [] }),
      () => client.get('/v2/updates/transaction-tree-by-offset/{offset}', { path: { offset: 1 } } as never),
    ]
    for (const ask of refused) await expect(ask()).rejects.toMatchObject({ code: 'DEPRECATED_API_DISABLED' })
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
  const client = new LedgerClient({
    baseUrl: new URL(stage.url),
    logger: pino({ level: 'silent' }),
    accessTokenProvider: await accessOf('alice'),
  })
  const asked = {
    beginExclusive: 0,
    endInclusive: 1,
    updateFormat: formatOf('somebody::1220'),
    verbose: false,
  }
  await expect(client.post('/v2/updates', asked)).rejects.toMatchObject({ code: 'NA', grpcCodeValue: 7 })
})
