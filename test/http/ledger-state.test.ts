import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { ledgerApiRoutes } from '../../src/server/http/routes/ledger-api.ts'
import { anyone, eventsOf, filtering, type LedgerDoors, openLedgerDoors } from './ledger-doors.ts'

const page = 'POST /v2/state/active-contracts-page'
const synchronizers = 'GET /v2/state/connected-synchronizers'

let doors: LedgerDoors
let end: number
let alice: string

beforeAll(async () => {
  doors = await openLedgerDoors()
  const { net } = doors
  const who = await net.user('alice')
  alice = who.party
  await net.register(who, 'alice')
  end = await net.ledger.end()
})
afterAll(() => doors[Symbol.asyncDispose]())

/** The tests compare contract ids alone, because only the elements of `active-contracts` have a continuation token. */
// biome-ignore lint/suspicious/noExplicitAny: elements are any JSON
const contractIds = (elements: readonly any[]): readonly string[] =>
  elements.map(({ contractEntry }) => contractEntry.JsActiveContract.createdEvent.contractId)

describe(page, () => {
  const eventFormat = eventsOf()

  test('leads through the same contracts as the list, page by page', async () => {
    const listed = await doors.gets('POST /v2/state/active-contracts', { activeAtOffset: end, eventFormat })
    const seen: string[] = []
    let pageToken: string | null | undefined
    do {
      const answer = await doors.gets(page, { eventFormat, maxPageSize: 3, pageToken })
      expect(Object.keys(answer)).toEqual(['activeContracts', 'activeAtOffset', 'nextPageToken'])
      expect(answer.activeAtOffset).toBe(end)
      expect(answer.activeContracts.length).toBeLessThanOrEqual(3)
      seen.push(...contractIds(answer.activeContracts))
      pageToken = answer.nextPageToken
    } while (pageToken !== null)
    expect(seen).toEqual(contractIds(listed))
    expect(seen.length).toBeGreaterThan(6)
  })

  test('is empty at the beginning of the ledger, and where nothing is selected', async () => {
    const nothing = filtering({
      TemplateFilter: {
        value: { templateId: '#splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayment' },
      },
    })
    for (const [activeAtOffset, format] of [
      [0, eventFormat],
      [end, nothing],
    ] as const)
      expect(await doors.gets(page, { activeAtOffset, eventFormat: format })).toEqual({
        activeContracts: [],
        activeAtOffset,
        nextPageToken: null,
      })
  })

  test.each([
    ['a format that is missing', {}, 400, 'MISSING_FIELD'],
    ['a size that no page has', { eventFormat, maxPageSize: 10_001 }, 400, 'INVALID_ARGUMENT'],
    ['an offset before the beginning', { eventFormat, activeAtOffset: -1 }, 400, 'NEGATIVE_OFFSET'],
    ['an offset after the end', { eventFormat, activeAtOffset: 99_999 }, 400, 'OFFSET_AFTER_LEDGER_END'],
    ['a token that nobody gave', { eventFormat, pageToken: 'AAAA' }, 400, 'INVALID_ACS_PAGE_TOKEN'],
    ['nobody to read as', { eventFormat: { filtersByParty: {} } }, 400, 'INVALID_ARGUMENT'],
  ])('says what is wrong: %s', async (_, body, status, code) => {
    const heard = await doors.asks(page, body, { as: anyone })
    expect({ status: heard.status, code: heard.json.code }).toEqual({ status, code })
  })

  test('takes a token for no other ledger, format or offset', async () => {
    const { nextPageToken: pageToken } = await doors.gets(page, { eventFormat, maxPageSize: 1 })
    await using others = await openLedgerDoors()
    const refused = { status: 400, json: { code: 'INVALID_ACS_PAGE_TOKEN' } }
    expect(await others.asks(page, { eventFormat, pageToken }, { as: anyone })).toMatchObject(refused)
    for (const other of [{ eventFormat: eventsOf(alice) }, { eventFormat, activeAtOffset: end - 1 }])
      expect(await doors.asks(page, { ...other, pageToken }, { as: anyone })).toMatchObject(refused)
  })

  test('needs a token, and the rights to what is asked for', async () => {
    expect((await doors.asks(page, { eventFormat })).status).toBe(401)
    expect((await doors.asks(page, { eventFormat }, { as: 'alice' })).status).toBe(403)
    expect((await doors.asks(page, { eventFormat: eventsOf(alice) }, { as: 'alice' })).status).toBe(200)
  })
})

describe(synchronizers, () => {
  const listed = (permission: string) => ({
    connectedSynchronizers: [
      {
        synchronizerAlias: 'global',
        synchronizerId: doors.net.ledger.synchronizerId,
        permission: `PARTICIPANT_PERMISSION_${permission}`,
      },
    ],
  })
  const of = (query: Record<string, string>) => `${synchronizers}?${new URLSearchParams(query)}`

  test('is the synchronizer of the ledger', async () => {
    expect(await doors.gets(synchronizers)).toEqual(listed('UNSPECIFIED'))
    expect(await doors.gets(of({ party: '', identityProviderId: '' }))).toEqual(listed('UNSPECIFIED'))
  })

  test('is where a party is hosted, by the participant that is asked', async () => {
    const { participantId } = doors.net.ledger
    expect(await doors.gets(of({ party: alice }))).toEqual(listed('SUBMISSION'))
    expect(await doors.gets(of({ party: alice, participantId }))).toEqual(listed('SUBMISSION'))
    const none = { connectedSynchronizers: [] }
    expect(await doors.gets(of({ party: alice, participantId: 'other::1220ab' }))).toEqual(none)
    expect(await doors.gets(of({ party: 'nobody::1220ab' }))).toEqual(none)
  })

  test('shows a party only to a user with a right on it', async () => {
    expect((await doors.asks(synchronizers)).status).toBe(401)
    expect((await doors.asks(of({ party: alice }), undefined, { as: 'alice' })).status).toBe(200)
    expect((await doors.asks(of({ party: 'nobody::1220ab' }), undefined, { as: 'alice' })).status).toBe(403)
  })

  test.each([{ party: 'a/b' }, { participantId: 'PAR' }])('says what is wrong with %j', async (query) => {
    const heard = await doors.asks(of(query), undefined, { as: anyone })
    expect(heard).toMatchObject({ status: 400, json: { code: 'INVALID_FIELD' } })
  })
})

test('a configured version is served in place of the version of the ledger', async () => {
  const service = doors.updates
  for (const [version, told] of [
    [undefined, '3.6.0'],
    ['3.4.12', '3.4.12'],
  ] as const) {
    const routes = ledgerApiRoutes(
      { maxListElements: 1, deprecatedFields: 'updates', version },
      { service, clock: systemClock },
    )
    const route = routes.find(({ path }) => path === '/v2/version')
    const answer = await route?.handler({ req: { header: () => undefined } } as never)
    expect(JSON.parse(answer as string)).toMatchObject({ version: told, features: expect.any(Object) })
  }
})
