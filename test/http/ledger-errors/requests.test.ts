import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CantonErrorKind, cantonErrors } from '../../../src/errors/canton.ts'
import { type As, anyone, eventsOf, filtering, updatesOf } from '../ledger-doors.ts'
import {
  type AskedDoors,
  byHash,
  byId,
  byOffset,
  contracts,
  everything,
  expectCanton,
  openAskedDoors,
  page,
  updates,
} from './asked-doors.ts'

let doors: AskedDoors

beforeAll(async () => {
  doors = await openAskedDoors()
})
afterAll(() => doors[Symbol.asyncDispose]())

type Case = readonly [kind: CantonErrorKind, line: string, body: object, told?: object]

async function expectRefusals(status: number, cases: readonly Case[]) {
  for (const [kind, line, body, told] of cases) {
    const heard = await doors.ask(line, body)
    expect(heard.status, `${line} ${JSON.stringify(body)}`).toBe(status)
    expectCanton(heard, kind, status, told)
  }
}

const all = { updateFormat: everything }
const none = { updateFormat: updatesOf({}) }
const field = (name: string) => ({ context: expect.objectContaining({ field_name: name }) })
const template = (templateId: string) => filtering({ TemplateFilter: { value: { templateId } } })
const ofInterface = (interfaceId: string) => filtering({ InterfaceFilter: { value: { interfaceId } } })

test('an offset or a page that there is not is 400 in the form of Canton', async () => {
  const after = doors.end + 1
  await expectRefusals(400, [
    ['negativeOffset', updates, doors.asked({ beginExclusive: -1, ...all })],
    ['negativeOffset', page, { beginOffsetExclusive: -1, ...all }],
    ['nonPositiveOffset', updates, doors.asked({ endInclusive: 0, ...all })],
    ['nonPositiveOffset', byOffset, { offset: 0, ...all }],
    ['nonPositiveOffset', page, { endOffsetInclusive: 0, ...all }],
    ['descendingWithoutEnd', updates, { beginExclusive: 0, descendingOrder: true, ...all }],
    ['offsetAfterLedgerEnd', updates, { beginExclusive: after, ...all }],
    ['offsetAfterLedgerEnd', updates, doors.asked({ endInclusive: after, ...all })],
    ['offsetAfterLedgerEnd', contracts, { activeAtOffset: after, eventFormat: eventsOf() }],
    ['offsetAfterLedgerEnd', page, { endOffsetInclusive: after, ...all }],
    ['offsetOutOfRange', updates, { beginExclusive: 3, endInclusive: 2, ...all }],
    ['pageEndsBeforeBegin', page, { beginOffsetExclusive: 3, endOffsetInclusive: 2, ...all }],
    ['invalidPageSize', page, { maxPageSize: 0, ...all }],
    ['invalidPageSize', page, { maxPageSize: 2001, ...all }],
    ['invalidUpdateId', byId, { updateId: 'xyz', ...all }],
    ['undecodablePageToken', page, { pageToken: 'AAAA', ...all }, field('page_token')],
    [
      'invalidContinuationToken',
      contracts,
      { activeAtOffset: 1, eventFormat: eventsOf(), streamContinuationToken: 'AAAA' },
    ],
  ])
})

test('an update that there is not, or of which nothing is selected, is 404 in the form of Canton', async () => {
  const nobodysId = `1220${'ab'.repeat(32)}`
  const told = (...resource: unknown[]) => ({ resources: [resource] })
  await expectRefusals(404, [
    ['updateNotFound', byOffset, { offset: doors.end + 1, ...all }, told('OFFSET', expect.any(String))],
    ['updateNotFound', byOffset, { offset: doors.end, updateFormat: {} }],
    ['updateNotFound', byId, { updateId: nobodysId, ...all }, told('UPDATE_ID', nobodysId)],
    ['updateNotFound', byHash, { transactionHash: 'q80=', ...all }, told('TRANSACTION_HASH', 'abcd')],
  ])
})

test('a page token of another request is refused, and that of the same is taken', async () => {
  const first = { maxPageSize: 1, ...all }
  const { nextPageToken: pageToken } = (await doors.ask(page, first)).json
  expectCanton(await doors.ask(page, { ...first, maxPageSize: 2, pageToken }), 'invalidPageToken', 400)
  expect(await doors.ask(page, { ...first, pageToken })).toMatchObject({ status: 200 })
})

test('a format that says too little, too much or what cannot be is 400 in the form of Canton', async () => {
  const at = { activeAtOffset: 1 }
  const asking = (updateFormat: object) => doors.asked({ updateFormat })
  const shaped = (shape: object) => asking({ includeTransactions: shape })
  await expectRefusals(400, [
    ['bothForms', updates, doors.asked({ ...all, filter: eventsOf() })],
    ['bothForms', contracts, { ...at, eventFormat: eventsOf(), filter: eventsOf() }],
    ['verboseBesideFormat', updates, doors.asked({ ...all, verbose: true })],
    ['verboseBesideFormat', contracts, { ...at, eventFormat: eventsOf(), verbose: true }],
    ['noForm', updates, doors.asked({})],
    ['noForm', contracts, at],
    ['noFilters', updates, asking(updatesOf({ filtersByParty: {} }))],
    ['invalidParty', updates, asking(updatesOf(eventsOf('a/b')))],
    [
      'invalidTopologyParty',
      updates,
      asking({ includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: ['a/b'] } } }),
    ],
    [
      'missingField',
      updates,
      shaped({ transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' }),
      field('event_format'),
    ],
    [
      'missingField',
      updates,
      shaped({ eventFormat: eventsOf(), transactionShape: null }),
      field('transaction_shape'),
    ],
    ['missingField', updates, asking(updatesOf(eventsOf(), 'TRANSACTION_SHAPE_UNSPECIFIED'))],
    ['missingField', byOffset, { offset: 1 }, field('update_format')],
    ['missingField', page, {}],
    ['missingField', byId, { updateId: '', ...all }, field('update_id')],
    ['missingField', byHash, all, field('transaction_hash')],
    [
      'packageIdInFilter',
      updates,
      asking(updatesOf(template(`${'ab'.repeat(32)}:Splice.Ans:AnsEntry`))),
      field('packageId'),
    ],
  ])
})

test('a package, template or interface that nobody knows is 404 in the form of Canton', async () => {
  const asking = (format: object) => doors.asked({ updateFormat: updatesOf(format) })
  const cause = expect.stringContaining('[nobodys]')
  const nothing = '#splice-amulet:Splice.Amulet:Nothing'
  await expectRefusals(404, [
    ['unknownPackageNames', updates, asking(template('#nobodys:Splice.Ans:AnsEntry')), { cause }],
    ['unknownPackageNames', contracts, { activeAtOffset: 1, eventFormat: template('#nobodys:A:B') }],
    ['unknownTemplates', updates, asking(template(nothing))],
    ['unknownInterfaces', updates, asking(ofInterface(nothing))],
  ])
})

test('errors come in the order of Canton’s checks, but for the token, which is judged first', async () => {
  const { end, ask } = doors
  const wrong = { beginExclusive: -1, endInclusive: 0, descendingOrder: true }
  const formats = { ...none, filter: eventsOf(), verbose: true }
  const turned = { beginExclusive: 2, endInclusive: 1 }
  const shapeless = (events: object) => ({
    ...turned,
    updateFormat: updatesOf(events, 'TRANSACTION_SHAPE_UNSPECIFIED'),
  })
  const [admin, alice] = [{ as: anyone }, { as: 'alice' }]
  const cases: readonly [CantonErrorKind, object, As][] = [
    ['unauthenticated', { ...wrong, ...formats }, {}],
    ['bothForms', { ...wrong, ...formats }, alice],
    ['verboseBesideFormat', { ...wrong, ...none, verbose: true }, alice],
    ['noForm', wrong, alice],
    ['permissionDenied', { ...wrong, ...all }, alice],
    ['negativeOffset', { ...wrong, ...none }, admin],
    ['descendingWithoutEnd', { beginExclusive: end + 1, descendingOrder: true, ...none }, admin],
    ['nonPositiveOffset', { beginExclusive: end + 1, endInclusive: 0, ...none }, admin],
    ['offsetAfterLedgerEnd', { beginExclusive: end + 1, endInclusive: 1, ...none }, admin],
    ['noFilters', { ...turned, ...none }, admin],
    ['invalidParty', shapeless(eventsOf('/')), admin],
    ['missingField', shapeless(template('a:b:c')), admin],
    ['packageIdInFilter', { ...turned, updateFormat: updatesOf(template('a:b:c')) }, admin],
    ['unknownPackageNames', { ...turned, updateFormat: updatesOf(template('#a:b:c')) }, admin],
    ['offsetOutOfRange', { ...turned, ...all }, admin],
  ]
  for (const [kind, body, as] of cases)
    expectCanton(await ask(updates, body, as), kind, cantonErrors[kind].status)
})
