import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyone, eventsOf, type LedgerDoors, openLedgerDoors, updatesOf } from './ledger-doors.ts'

let doors: LedgerDoors
let alice: string
let bob: string
let end: number

beforeAll(async () => {
  doors = await openLedgerDoors({ deprecatedFields: 'updates' })
  const who = await doors.net.user('alice')
  alice = who.party
  bob = (await doors.net.user('bob')).party
  await doors.net.register(who, 'alice')
  end = await doors.net.ledger.end()
})
afterAll(() => doors[Symbol.asyncDispose]())

const redacted = { status: 403, json: { code: 'NA', grpcCodeValue: 7, context: {} } }
const get = (path: string, as?: string) =>
  doors.asks(`GET ${path}`, undefined, as === undefined ? {} : { as })
const user = (id: string, primaryParty: string) => ({
  id,
  primaryParty,
  isDeactivated: false,
  metadata: { resourceVersion: '0', annotations: {} },
  identityProviderId: '',
  primaryPartyAuthentication: false,
})
const details = (party: string) => ({
  party,
  isLocal: true,
  localMetadata: { resourceVersion: '0', annotations: {} },
  identityProviderId: '',
})

describe('an ordinary user', () => {
  test('sees itself, with its right to act as its party', async () => {
    for (const path of ['/v2/authenticated-user', '/v2/users/alice', '/v2/users/%61lice'])
      expect((await get(path, 'alice')).json).toEqual({ user: user('alice', alice) })
    expect((await get('/v2/users/alice/rights', 'alice')).json).toEqual({
      rights: [{ kind: { CanActAs: { value: { party: alice } } } }],
    })
  })

  test('sees its party, the participant and the packages', async () => {
    const path = `/v2/parties/${encodeURIComponent(alice)}`
    for (const query of ['', `?parties=${encodeURIComponent(alice)}&identity-provider-id=`])
      expect((await get(`${path}${query}`, 'alice')).json).toEqual({ partyDetails: [details(alice)] })
    const { participantId } = (await get('/v2/parties/participant-id', 'alice')).json
    expect(alice.split('::')[1]).toBe(participantId.split('::')[1])
    const [packageId] = (await get('/v2/packages', 'alice')).json.packageIds
    expect((await get(`/v2/packages/${packageId}/status`, 'alice')).json).toEqual({
      packageStatus: 'PACKAGE_STATUS_REGISTERED',
    })
  })

  test.each(['/v2/users', '/v2/users/bob', '/v2/users/nobody/rights', '/v2/parties'])(
    'is refused %s, as by Canton',
    async (path) => expect(await get(path, 'alice')).toMatchObject(redacted),
  )

  test('is refused the party of another user, named in the path or in the query', async () => {
    expect(await get(`/v2/parties/${encodeURIComponent(bob)}`, 'alice')).toMatchObject(redacted)
    const both = `/v2/parties/${encodeURIComponent(alice)}?parties=${encodeURIComponent(bob)}`
    expect(await get(both, 'alice')).toMatchObject(redacted)
  })
})

describe('an administrator', () => {
  test('sees all users and parties, page by page', async () => {
    const all = (await get('/v2/users', anyone)).json
    expect(all).toMatchObject({ users: expect.arrayContaining([user('alice', alice), user('bob', bob)]) })
    const seen: string[] = []
    for (let token = ''; ; ) {
      const page = (await get(`/v2/parties?pageSize=1&pageToken=${token}`, anyone)).json
      seen.push(...page.partyDetails.map(({ party }: { party: string }) => party))
      token = page.nextPageToken
      if (token === '') break
    }
    expect(seen).toEqual([...new Set(seen)].sort())
    expect(seen).toEqual(expect.arrayContaining([alice, bob, doors.net.dso]))
    expect((await get('/v2/parties?filter-party=ali', anyone)).json.partyDetails).toEqual([details(alice)])
  })

  test('sees other users, and is told which there are not', async () => {
    expect((await get('/v2/users/bob', anyone)).json).toEqual({ user: user('bob', bob) })
    expect((await get(`/v2/users/${anyone}/rights`, anyone)).json).toEqual({
      rights: [{ kind: { CanReadAsAnyParty: { value: {} } } }, { kind: { ParticipantAdmin: { value: {} } } }],
    })
    expect(await get('/v2/users/no%2Fbody', anyone)).toMatchObject({
      status: 404,
      json: { code: 'USER_NOT_FOUND', resources: [['USER', 'no/body']] },
    })
    expect((await get('/v2/parties/nobody%3A%3A1220', anyone)).json).toEqual({ partyDetails: [] })
  })

  test.each([
    ['/v2/users?pageSize=1001', 'INVALID_ARGUMENT'],
    ['/v2/parties?pageSize=-1', 'INVALID_ARGUMENT'],
    ['/v2/parties/%C3%BC', 'INVALID_ARGUMENT'],
    ['/v2/parties?pageSize=x', undefined],
    ['/v2/parties?pageToken=%25', undefined],
  ])('is refused %s with 400', async (path, code) => {
    const heard = await get(path, anyone)
    expect([heard.status, heard.json?.code]).toEqual([400, code])
  })
})

test('all of it needs a token, and one that the ledger knows', async () => {
  for (const path of [
    '/v2/authenticated-user',
    '/v2/users/alice/rights',
    '/v2/parties/participant-id',
    '/v2/packages',
  ]) {
    expect((await get(path)).status).toBe(401)
    expect((await get(path, 'nobody')).json.context).toEqual({ ledger_api_error: 'invalid token' })
  }
})

describe('completions', () => {
  const completions = '/v2/commands/completions?stream_idle_timeout_ms=1&limit=1'

  test('tell a user of the commands that were carried out for it', async () => {
    const parties = [alice]
    const { json } = await doors.asks(`POST ${completions}`, { parties }, { as: 'alice' })
    const { value } = json[0].completionResponse.Completion
    expect(value).toMatchObject({ userId: 'alice', actAs: [alice], status: { code: 0 } })
    const updateFormat = updatesOf(eventsOf(alice), 'TRANSACTION_SHAPE_LEDGER_EFFECTS')
    const asked = { offset: value.offset, updateFormat }
    const found = await doors.asks('POST /v2/updates/update-by-offset', asked, { as: 'alice' })
    const { updateId, commandId } = found.json.update.Transaction.value
    expect(value).toMatchObject({ updateId, commandId })
  })

  test('of all users are for those who may read as their parties', async () => {
    const all = '/v2/commands/command-completions?limit=1'
    const heard = await doors.asks(`POST ${all}`, { parties: [alice] }, { as: anyone })
    expect(heard.json).toMatchObject([{ completionResponse: { Completion: { value: { userId: 'alice' } } } }])
    expect((await doors.asks(`POST ${all}`, {}, { as: anyone })).status).toBe(200)
    expect(await doors.asks(`POST ${all}`, {}, { as: 'alice' })).toMatchObject(redacted)
  })

  test.each([
    [{ parties: ['bob::1220'] }, 403, 'NA'],
    [{ userId: 'bob' }, 403, 'NA'],
    [{ parties: [] }, 403, 'NA'],
    [{ beginExclusive: -1 }, 400, 'NEGATIVE_OFFSET'],
    [{ beginExclusive: 99_999 }, 400, 'OFFSET_AFTER_LEDGER_END'],
    [{ parties: null }, 400, undefined],
  ])('are refused for %j', async (change, status, code) => {
    const heard = await doors.asks(`POST ${completions}`, { parties: [alice], ...change }, { as: 'alice' })
    expect([heard.status, heard.json?.code]).toEqual([status, code])
  })
})

describe('what Canton 3.6 refuses', () => {
  const refusal = (api: string, since: string, instead: string) => ({
    status: 400,
    json: {
      code: 'DEPRECATED_API_DISABLED',
      cause: `${api} was deprecated in Canton ${since}, is disabled by default since Canton 3.6 and will be removed in Canton 3.7. Use ${instead} instead.`,
      errorCategory: 9,
      grpcCodeValue: 9,
    },
  })

  test.each([
    ['POST', '/v2/updates/flats', '3.4', 'POST /v2/updates with updateFormat'],
    ['POST', '/v2/updates/trees', '3.4', 'POST /v2/updates with updateFormat'],
    ['POST', '/v2/updates/transaction-by-id', '3.4', 'POST /v2/updates/update-by-id'],
    ['POST', '/v2/updates/transaction-by-offset', '3.4', 'POST /v2/updates/update-by-offset'],
    ['GET', '/v2/state/active-contracts-page', '3.5', 'POST /v2/state/active-contracts-page'],
  ])('is refused with what to use instead: %s %s', async (method, path, since, instead) => {
    const body = method === 'POST' ? 'no JSON' : undefined
    const heard = await doors.asks(`${method} ${path}?a=b`, body, { as: 'alice' })
    expect(heard).toMatchObject(refusal(`${method} ${path}`, since, instead))
  })

  test('are lookups of trees too', async () => {
    for (const path of ['transaction-tree-by-id/1220ab', 'transaction-tree-by-offset/3'])
      expect((await get(`/v2/updates/${path}?parties=${alice}`, 'alice')).json.code).toBe(
        'DEPRECATED_API_DISABLED',
      )
  })

  const older = () => ({ filter: eventsOf(alice), verbose: true })
  const contracts = 'POST /v2/state/active-contracts'
  const updates = 'POST /v2/updates'

  test('are filter and verbose of active contracts, but by default not those of updates', async () => {
    const api = 'The fields filter/verbose of the /v2/state/active-contracts requests'
    for (const fields of [
      older(),
      { filter: eventsOf(alice) },
      { eventFormat: eventsOf(alice), verbose: true },
    ])
      expect(await doors.asks(contracts, { activeAtOffset: end, ...fields }, { as: 'alice' })).toMatchObject(
        refusal(api, '3.4', 'eventFormat'),
      )
    const plain = { activeAtOffset: end, eventFormat: eventsOf(alice), verbose: false }
    expect((await doors.asks(contracts, plain, { as: 'alice' })).status).toBe(200)
    const range = { beginExclusive: 0, endInclusive: end }
    expect((await doors.asks(updates, { ...range, ...older() }, { as: 'alice' })).status).toBe(200)
  })

  test('are those of updates as well, where it is configured', async () => {
    await using strict = await openLedgerDoors({ deprecatedFields: 'none' })
    const filter = eventsOf()
    const api = 'The fields filter/verbose of the /v2/updates requests'
    expect(
      await strict.asks(updates, { beginExclusive: 0, endInclusive: 1, filter }, { as: anyone }),
    ).toMatchObject(refusal(api, '3.4', 'updateFormat'))
  })
})

test('tokens of LocalNet are good for a localnet only, and only where no audience is configured', async () => {
  const claims = { aud: 'https://canton.network.global', scope: '' }
  for (const [rules, status] of [
    [{ isLocalnet: true }, 200],
    [{ isLocalnet: true, audience: 'https://other.example' }, 401],
    [{ isLocalnet: true, scope: 'daml_ledger_api' }, 401],
    [{}, 401],
  ] as const) {
    await using other = await openLedgerDoors({ rules })
    const token = await other.tokenOf(anyone, claims)
    expect((await other.asks('GET /v2/authenticated-user', undefined, { token })).status).toBe(status)
  }
})
