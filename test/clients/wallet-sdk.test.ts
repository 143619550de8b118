import { SDK, type SDKInterface } from '@canton-network/wallet-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { configOf } from '../config/config.ts'
import { Caller } from '../support/caller.ts'
import { type Running, type Stage, startEmbedded, startLiveStage } from '../support/daemon.ts'
import { FakeParticipant } from '../support/fake-participant.ts'

type Sdk = SDKInterface<'amulet' | 'token' | 'asset' | 'events'>

/** The user of Splice's LocalNet, whose tokens any SDK signs by default. */
const operator = 'ledger-api-user'
const authOf = (clientId: string) => ({
  method: 'self_signed',
  issuer: 'unsafe-auth',
  credentials: {
    clientId,
    clientSecret: 'unsafe',
    audience: 'https://canton.network.global',
    scope: '',
  },
})

/** Makes the SDK as a wallet does, with the daemon in the place of a validator, its participant and a scan. */
function sdkOn(
  http: string,
  given: object = authOf(operator),
  registry = '/api/validator/v0/scan-proxy',
): Promise<Sdk> {
  const auth = given as never
  const registryUrl = new URL(`${http}${registry}`)
  const validatorUrl = `${http}/api/validator`
  return SDK.create({
    auth,
    ledgerClientUrl: http,
    logAdapter: { log() {} } as never,
    amulet: { auth, validatorUrl, scanApiUrl: `${http}/api/scan`, registryUrl },
    token: { auth, validatorUrl, registries: [registryUrl] },
    asset: { auth, registries: [registryUrl] },
    events: { auth, websocketURL: http.replace('http', 'ws') },
  })
}

async function firstOf<T>(stream: AsyncIterable<T>): Promise<T | undefined> {
  for await (const element of stream) return element
  return undefined
}

const deprecated = { code: 'DEPRECATED_API_DISABLED', grpcCodeValue: 9 }
/** A method that the published types lack. */
interface JsReader {
  readJsContracts(options: unknown): Promise<unknown>
}

const disclosed = {
  templateId: expect.any(String),
  contractId: expect.any(String),
  createdEventBlob: expect.any(String),
  synchronizerId: expect.any(String),
}
const amulets = ['#splice-amulet:Splice.Amulet:Amulet']
const holding = '#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding'

describe('the wallet SDK, with a localnet as it comes and the tokens of LocalNet,', () => {
  let running: Running<undefined>
  let sdk: Sdk
  let me: string
  beforeAll(async () => {
    running = await startEmbedded({ 'ledger.deprecatedFields': 'all' })
    const caller = await Caller.of(operator)
    me = (await caller.get(running.daemon.http, 'GET /v0/wallet/user-status')).party_id
    await caller.tap(running.daemon.http, '10.0')
    sdk = await sdkOn(running.daemon.http)
  })
  afterAll(() => running[Symbol.asyncDispose]())

  const contracts = () => ({ parties: [me], filterByParty: true, templateIds: amulets }) as never
  const coin = () => [expect.objectContaining({ templateId: expect.stringMatching(/:Amulet$/) })]

  test.each<[string, (sdk: Sdk) => unknown, () => unknown]>([
    ['ledger.ledgerEnd', (sdk) => sdk.ledger.ledgerEnd(), () => expect.any(Number)],
    ['ledger.dar.check', (sdk) => sdk.ledger.dar.check('ab'), () => false],
    ['ledger.acs.readRaw', (sdk) => sdk.ledger.acs.readRaw(contracts()), () => [expect.anything()]],
    ['ledger.acs.read', (sdk) => sdk.ledger.acs.read(contracts()), coin],
    [
      'ledger.acsReader.readJsContracts',
      (sdk) => (sdk.ledger.acsReader as unknown as JsReader).readJsContracts(contracts()),
      coin,
    ],
    ['party.list', (sdk) => sdk.party.list(), () => expect.arrayContaining([me])],
    [
      'party.internal.allocate of a party that exists',
      (sdk) => sdk.party.internal.allocate({ partyHint: operator }),
      () => me,
    ],
    [
      'user.create of a user that exists',
      (sdk) => sdk.user.create({ userId: operator } as never),
      () => ({ id: operator, primaryParty: me }),
    ],
    [
      'user.list',
      (sdk) => sdk.user.list(),
      () => ({ users: expect.arrayContaining([expect.objectContaining({ id: operator })]) }),
    ],
    [
      'user.rights.list',
      (sdk) => sdk.user.rights.list(),
      () => ({ rights: expect.arrayContaining([{ kind: { CanActAs: { value: { party: me } } } }]) }),
    ],
    [
      'amulet.tap',
      (sdk) => sdk.amulet.tap(me as never, '10'),
      () => [{ ExerciseCommand: { choice: 'AmuletRules_DevNet_Tap' } }, expect.anything()],
    ],
    [
      'amulet.traffic.buy',
      (sdk) => sdk.amulet.traffic.buy({ buyer: me, ccAmount: 10, inputUtxos: ['00aa'] } as never),
      () => [{ ExerciseCommand: { choice: 'AmuletRules_BuyMemberTraffic' } }, expect.anything()],
    ],
    ['amulet.preapproval.fetchQuick', (sdk) => sdk.amulet.preapproval.fetchQuick(me as never), () => null],
    [
      'amulet.preapproval.command.create',
      (sdk) => sdk.amulet.preapproval.command.create({ parties: { receiver: me } } as never),
      () => ({ CreateCommand: { createArguments: { provider: me, receiver: me } } }),
    ],
    ['token.transfer.pending', (sdk) => sdk.token.transfer.pending(me as never), () => []],
    [
      'token.utxos.list',
      (sdk) => sdk.token.utxos.list({ partyId: me as never }),
      () => [{ interfaceViewValue: { owner: me } }],
    ],
    [
      'token.utxos.list, to its end',
      (sdk) => sdk.token.utxos.list({ partyId: me as never, continueUntilCompletion: true }),
      () => [{ interfaceViewValue: { owner: me } }],
    ],
    [
      'token.utxos.merge',
      (sdk) => sdk.token.utxos.merge({ partyId: me as never }),
      () => [[{ ExerciseCommand: { choice: 'TransferFactory_Transfer' } }], expect.anything()],
    ],
    [
      'token.utxos.delegatedMerge.command.propose',
      (sdk) => sdk.token.utxos.delegatedMerge.command.propose({ owner: me } as never),
      () => ({ CreateCommand: { createArguments: { delegation: { operator: me } } } }),
    ],
    ['token.allocation.pending', (sdk) => sdk.token.allocation.pending(me as never), () => []],
    [
      'token.allocation.instruction.pending',
      (sdk) => sdk.token.allocation.instruction.pending(me as never),
      () => [],
    ],
    [
      'token.allocation.request.pending',
      (sdk) => sdk.token.allocation.request.pending(me as never),
      () => [],
    ],
    ['asset.list', (sdk) => sdk.asset.list, () => [{ id: 'Amulet' }]],
    ['asset.find', (sdk) => sdk.asset.find('Amulet'), () => ({ id: 'Amulet' })],
    [
      'events.updates',
      (sdk) => firstOf(sdk.events.updates({ partyId: me, interfaceIds: [holding] } as never)),
      () => ({ update: expect.anything() }),
    ],
    [
      'events.completions',
      (sdk) => firstOf(sdk.events.completions({ parties: [me], beginOffset: 0 } as never)),
      () => ({ completionResponse: { Completion: { value: { userId: operator, actAs: [me] } } } }),
    ],
  ])('%s is answered', async (_flow, run, expected) => {
    const answer = await run(sdk)
    if (typeof answer === 'object' && answer !== null) expect(answer).toMatchObject(expected() as object)
    else expect(answer).toEqual(expected())
  })

  test('what a user of its own may see: itself and its party', async () => {
    const caller = await Caller.of('alice')
    const { party_id: alice } = await caller.get(running.daemon.http, 'GET /v0/wallet/user-status')
    const own = await sdkOn(running.daemon.http, authOf('alice'))
    expect(await own.party.list()).toEqual([alice])
    expect(await own.party.internal.allocate({ partyHint: 'alice' })).toBe(alice)
    await expect(own.user.list()).rejects.toMatchObject({ code: 'NA', grpcCodeValue: 7 })
  })

  test('what Canton 3.6 refuses is refused, whatever is configured', async () => {
    await expect(sdk.token.holdings({ partyId: me } as never)).rejects.toMatchObject({
      ...deprecated,
      cause: expect.stringContaining('Use POST /v2/updates with updateFormat instead.'),
    })
    const updateId = `1220${'a'.repeat(64)}`
    await expect(sdk.token.transactionsById({ partyId: me, updateId } as never)).rejects.toMatchObject(
      deprecated,
    )
    const pages = sdk.ledger.acsReader.paginated.raw.read(contracts())
    await expect(pages).rejects.toMatchObject(deprecated)
  })

  test('what changes something is refused: it belongs to a validator', async () => {
    const refusals = [
      sdk.party.internal.allocate({ partyHint: 'nobody' }),
      sdk.party.external.create(sdk.keys.generate().publicKey).topology(),
      sdk.amulet.tapInternal('10'),
      sdk.user.rights.grant({ userRights: { actAs: [me] } } as never),
    ]
    const outcomes = await Promise.allSettled(refusals)
    expect(outcomes.map(({ status }) => status)).toEqual(refusals.map(() => 'rejected'))
  })
})

describe('the wallet SDK over a participant, while f super validators lie,', () => {
  let fake: FakeParticipant
  let stage: Stage<undefined>
  let alice: never
  let bob: never
  let token: string
  beforeAll(async () => {
    fake = await FakeParticipant.listen()
    const config = { 'ledger.driver': 'participant', 'ledger.url': fake.url, 'ledger.validatorUser': 'alice' }
    stage = await startLiveStage({ superValidators: 13, config })
    const { truth } = stage.localnet
    alice = truth.entries('alice.', 1)[0]?.user as never
    bob = truth.entries('bob.', 1)[0]?.user as never
    token = (await mintToken('alice', configOf({}))) as string
    fake.user(token, 'alice', alice, true)
    fake.commit({ events: [], commandId: 'c', actAs: [alice] })
    // Four of thirteen super validators tell one lie. Four is f, so the wallet must not notice the lie.
    await stage.fault(['sv-2', 'sv-5', 'sv-7', 'sv-11'], 'lie')
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await fake[Symbol.asyncDispose]()
  })

  const open = (registry?: string) => sdkOn(stage.daemon.http, { method: 'static', token }, registry)

  test('passes on what the participant tells of the user, its party and the packages', async () => {
    const sdk = await open()
    expect(await sdk.party.list()).toEqual([alice])
    expect(await sdk.user.rights.list()).toMatchObject({ rights: [{ kind: { CanActAs: {} } }, {}] })
    expect(await sdk.user.create({ userId: 'alice' } as never)).toMatchObject({ primaryParty: alice })
    expect(await sdk.ledger.dar.check('ab'.repeat(32))).toBe(true)
    await expect(sdk.user.create({ userId: 'bob' } as never)).rejects.toThrow('Failed to ensure')
    expect(fake.requests).toContainEqual(
      expect.objectContaining({ path: '/v2/users/bob?identity-provider-id=', token }),
    )
    expect(await firstOf(sdk.events.completions({ parties: [alice], beginOffset: 0 }))).toMatchObject({
      completionResponse: { Completion: { value: { commandId: 'c' } } },
    })
  })

  test('learns the party of the validator from the participant, with the token of the caller', async () => {
    const { text } = await stage.get('/api/validator/v0/validator-user', {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(JSON.parse(text)).toEqual({ party_id: alice, user_name: 'alice', featured: expect.any(Boolean) })
    expect((await stage.get('/v0/validator-user')).status).toBe(401)
  })

  describe.each(['/api/validator/v0/scan-proxy', '/v0/scan-proxy', ''])(
    "with its registry at '%s',",
    (path) => {
      const registryUrl = () => new URL(`${stage.daemon.http}${path}`)

      test('reads which assets there are', async () => {
        const { list } = (await open(path)).asset
        expect(list).toMatchObject([{ id: 'Amulet', admin: stage.localnet.world.dsoParty }])
      })

      test('makes a transfer from the context that a quorum gives', async () => {
        const [command, contracts] = await (await open(path)).token.transfer.create({
          sender: alice,
          recipient: bob,
          amount: '1.0',
          instrumentId: 'Amulet',
          registryUrl: registryUrl(),
          inputUtxos: ['00ab'],
        })
        expect(command).toMatchObject({
          ExerciseCommand: { choice: 'TransferFactory_Transfer', contractId: expect.any(String) },
        })
        expect(contracts).toEqual(expect.arrayContaining([disclosed]))
      })

      test.each(['accept', 'reject', 'withdraw'] as const)('%ss a transfer instruction', async (choice) => {
        const { contractId = '' } = stage.localnet.truth.annals().instructions[0] ?? {}
        const [command, contracts] = await (await open(path)).token.transfer[choice]({
          transferInstructionCid: contractId as never,
          registryUrl: registryUrl(),
        })
        expect(command).toMatchObject({
          ExerciseCommand: { contractId, choice: expect.stringMatching(new RegExp(`_${choice}$`, 'i')) },
        })
        expect(contracts).toEqual(expect.arrayContaining([disclosed]))
      })

      test.each(['execute', 'withdraw', 'cancel'] as const)('%ss an allocation', async (choice) => {
        const { contractId: allocationCid = '' } = stage.localnet.truth.annals().allocations[0] ?? {}
        const { allocation } = (await open(path)).token
        const asset = { registryUrl: registryUrl() }
        const [command] = await allocation[choice]({ allocationCid, asset } as never)
        expect(command).toMatchObject({ ExerciseCommand: { contractId: allocationCid } })
        const context = await allocation.context[choice]({
          allocationCid,
          registryUrl: registryUrl(),
        } as never)
        expect(context).toMatchObject({ disclosedContracts: expect.any(Array) })
      })
    },
  )

  test('taps from the rules of the coin and the open round', async () => {
    const [command, contracts] = await (await open()).amulet.tap(alice, '10')
    const { contract_id: contractId } = stage.localnet.truth.amuletRules().contract
    const choiceArgument = { receiver: alice, openRound: expect.any(String) }
    expect(command).toMatchObject({ ExerciseCommand: { contractId, choiceArgument } })
    expect(contracts).toMatchObject([{ contractId }, disclosed])
  })

  test('reads a preapproval, and makes the command that cancels it', async () => {
    const { preapproval } = (await open()).amulet
    expect(await preapproval.fetchStatus(alice)).toMatchObject({ dso: stage.localnet.world.dsoParty })
    expect(await preapproval.fetchQuick(alice)).toMatchObject({ contract: expect.anything() })
    expect(await preapproval.command.cancel({ parties: { receiver: alice } })).toMatchObject([
      { ExerciseCommand: { choice: 'TransferPreapproval_Cancel' } },
      [],
    ])
    expect(await (await open()).amulet.featuredApp.rights({ partyId: bob, maxRetries: 1 })).toBeUndefined()
  })

  test('is refused what only one node knows, and told what to use instead', async () => {
    await expect((await open()).amulet.traffic.status()).rejects.toMatchObject({
      error: expect.stringMatching(/ Ask your own participant for its traffic state, or one scan\.$/),
    })
  })
})
