import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FakeParticipant } from '../support/fake-participant.ts'
import { anyone, eventsOf, filtering, type LedgerDoors, openLedgerDoors, updatesOf } from './ledger-doors.ts'

let doors: LedgerDoors
let fake: FakeParticipant
let alice: string
let end: number

beforeAll(async () => {
  doors = await openLedgerDoors()
  fake = await FakeParticipant.listen()
  const who = await doors.net.user('alice')
  alice = who.party
  await doors.net.register(who, 'alice')
  end = await doors.net.ledger.end()
  fake.user(anyone, anyone, '', { readAsAnyParty: true })
  fake.user('alice', 'alice', alice)
  fake.allocate(alice)
  fake.grow(alice, end - fake.end)
})
afterAll(async () => {
  await doors[Symbol.asyncDispose]()
  await fake[Symbol.asyncDispose]()
})

interface Heard {
  readonly status: number
  readonly type: string | undefined
  readonly code: unknown
  readonly category: unknown
  readonly field: unknown
}

async function askFake(line: string, body: unknown, as: string | undefined): Promise<Heard> {
  const [method = '', path = ''] = line.split(' ')
  const headers = as === undefined ? {} : { authorization: `Bearer ${as}` }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${fake.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: text }),
  })
  const type = response.headers.get('content-type')?.split(';')[0]
  return heard(response.status, type, await response.text())
}

async function askDaemon(line: string, body: unknown, as: string | undefined): Promise<Heard> {
  const { status, type, text } = await doors.asks(line, body, as === undefined ? {} : { as })
  return heard(status, type?.split(';')[0], text)
}

function heard(status: number, type: string | undefined, text: string): Heard {
  const json = type === 'application/json' && status !== 200 ? JSON.parse(text) : {}
  return { status, type, code: json.code, category: json.errorCategory, field: json.context?.field_name }
}

const updates = 'POST /v2/updates'
const page = 'POST /v2/updates/get-updates-page'
const byOffset = 'POST /v2/updates/update-by-offset'
const byId = 'POST /v2/updates/update-by-id'
const contracts = 'POST /v2/state/active-contracts'
const contractsPage = 'POST /v2/state/active-contracts-page'
const everything = updatesOf(eventsOf())
const range = { beginExclusive: 0, endInclusive: 2 }
const template = (templateId: string) => filtering({ TemplateFilter: { value: { templateId } } })
const shaped = (transactionShape: unknown) => ({
  includeTransactions: { eventFormat: eventsOf(), transactionShape },
})

const cases: readonly (readonly [what: string, line: string, body: unknown, as?: string | undefined])[] = [
  ['no JSON', updates, '{', anyone],
  ['a body that is no object', updates, [], anyone],
  ['an offset that is text', updates, { ...range, beginExclusive: 'x', updateFormat: everything }, anyone],
  ['an offset in digits', updates, { ...range, beginExclusive: '0', updateFormat: everything }, anyone],
  ['an offset with a fraction', updates, { ...range, beginExclusive: 0.5, updateFormat: everything }, anyone],
  ['a flag that is text', updates, { ...range, descendingOrder: 'x', updateFormat: everything }, anyone],
  ['a limit that is no integer', `${updates}?limit=x`, { ...range, updateFormat: everything }, anyone],
  ['a limit of 0', `${updates}?limit=0`, { ...range, updateFormat: everything }, anyone],
  ['a shape that is left out', updates, { ...range, updateFormat: shaped(undefined) }, anyone],
  ['a shape that is null', updates, { ...range, updateFormat: shaped(null) }, anyone],
  [
    'a shape that is unspecified',
    updates,
    { ...range, updateFormat: shaped('TRANSACTION_SHAPE_UNSPECIFIED') },
    anyone,
  ],
  ['a shape that nobody knows', updates, { ...range, updateFormat: shaped('ROUND') }, anyone],
  ['events that are left out', updates, { ...range, updateFormat: updatesOf(undefined as never) }, anyone],
  ['both forms', updates, { ...range, updateFormat: everything, filter: eventsOf() }, anyone],
  ['verbose beside a format', updates, { ...range, updateFormat: everything, verbose: true }, anyone],
  ['no form', updates, range, anyone],
  ['the older form', updates, { ...range, filter: eventsOf(), verbose: true }, anyone],
  ['a format of nothing', updates, { ...range, updateFormat: {} }, anyone],
  ['filters of nobody', updates, { ...range, updateFormat: updatesOf({}) }, anyone],
  ['an identifier of two parts', updates, { ...range, updateFormat: updatesOf(template('#a:b')) }, anyone],
  [
    'an identifier of four parts',
    updates,
    { ...range, updateFormat: updatesOf(template('#a:b:c:d')) },
    anyone,
  ],
  ['a package id', updates, { ...range, updateFormat: updatesOf(template(`${'a'.repeat(64)}:b:c`)) }, anyone],
  ['a package that is not known', updates, { ...range, updateFormat: updatesOf(template('#a:b:c')) }, anyone],
  [
    'a template that is not known',
    updates,
    { ...range, updateFormat: updatesOf(template('#splice-amulet-name-service:b:c')) },
    anyone,
  ],
  [
    'a variant that nobody knows',
    updates,
    { ...range, updateFormat: updatesOf(filtering({ Filter: {} })) },
    anyone,
  ],
  [
    'a variant without its value',
    updates,
    { ...range, updateFormat: updatesOf(filtering({ WildcardFilter: {} })) },
    anyone,
  ],
  [
    'two variants',
    updates,
    { ...range, updateFormat: updatesOf(filtering({ Empty: {}, WildcardFilter: { value: {} } })) },
    anyone,
  ],
  [
    'no variant',
    updates,
    { ...range, updateFormat: updatesOf({ filtersForAnyParty: { cumulative: [{}] } }) },
    anyone,
  ],
  [
    'filters that are null',
    updates,
    { ...range, updateFormat: updatesOf({ filtersForAnyParty: { cumulative: null } }) },
    anyone,
  ],
  ['a party that cannot be', updates, { ...range, updateFormat: updatesOf(eventsOf('a/b')) }, anyone],
  ['no token', updates, { ...range, updateFormat: everything }],
  ['no right to any party', updates, { ...range, updateFormat: everything }, 'alice'],
  ['no right to a party', updates, { ...range, updateFormat: updatesOf(eventsOf('bob::1220')) }, 'alice'],
  [
    'no right to the topology of every party',
    updates,
    { ...range, updateFormat: { includeTopologyEvents: { includeParticipantAuthorizationEvents: {} } } },
    'alice',
  ],
  [
    'a descending order without an end',
    updates,
    { beginExclusive: 0, descendingOrder: true, updateFormat: everything },
    anyone,
  ],
  ['a page without a format', page, {}, anyone],
  ['a page of nothing', page, { maxPageSize: 0, updateFormat: everything }, anyone],
  ['a page token that is no base64', page, { pageToken: '!', updateFormat: everything }, anyone],
  ['a page token that nobody gave', page, { pageToken: 'AAAA', updateFormat: everything }, anyone],
  [
    'a page that ends before it begins',
    page,
    { beginOffsetExclusive: 2, endOffsetInclusive: 1, updateFormat: everything },
    anyone,
  ],
  ['an update at offset 0', byOffset, { updateFormat: everything }, anyone],
  ['an update without a format', byOffset, { offset: 1 }, anyone],
  ['an update beyond the end', byOffset, { offset: 99_999, updateFormat: everything }, anyone],
  ['an update without an id', byId, { updateFormat: everything }, anyone],
  ['an update of an id that none has', byId, { updateId: 'x', updateFormat: everything }, anyone],
  ['contracts without an offset', contracts, { eventFormat: eventsOf() }, anyone],
  ['contracts in the older form', contracts, { filter: eventsOf() }, anyone],
  ['contracts in no form', contracts, {}, anyone],
  ['contracts beyond the end', contracts, { activeAtOffset: 99_999, eventFormat: eventsOf() }, anyone],
  ['a page of contracts without a format', contractsPage, {}, anyone],
  ['a page of contracts without a token', contractsPage, { eventFormat: eventsOf() }],
  [
    'a page of contracts by nobody’s token',
    contractsPage,
    { eventFormat: eventsOf(), pageToken: 'AAAA' },
    anyone,
  ],
  ['a GET of what is posted', 'GET /v2/updates/get-updates-page', undefined, anyone],
  ['a path that is not there', 'GET /v2/nothing', undefined, anyone],
]

const asked = cases.map(([what, line, body, as]) => ({ what, line, body, as }))

describe('the embedded ledger and the participant of the tests answer alike', () => {
  test.each(asked)('to $what', async ({ line, body, as }) => {
    expect(await askDaemon(line, body, as)).toEqual(await askFake(line, body, as))
  })
})
