import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf } from '../ledger-doors.ts'
import {
  type AskedDoors,
  byHash,
  byId,
  byOffset,
  type Case,
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

const nobodysId = `1220${'ab'.repeat(32)}`

const cases: readonly Case[] = [
  [
    'NEGATIVE_OFFSET: a begin below 0',
    'negativeOffset',
    400,
    updates,
    ({ asked }) => asked({ beginExclusive: -1, updateFormat: everything }),
  ],
  [
    'NEGATIVE_OFFSET: a page that begins below 0',
    'negativeOffset',
    400,
    page,
    () => ({ beginOffsetExclusive: -1, updateFormat: everything }),
  ],
  [
    'NON_POSITIVE_OFFSET: an end of 0',
    'nonPositiveOffset',
    400,
    updates,
    ({ asked }) => asked({ endInclusive: 0, updateFormat: everything }),
  ],
  [
    'NON_POSITIVE_OFFSET: an update at 0',
    'nonPositiveOffset',
    400,
    byOffset,
    () => ({ offset: 0, updateFormat: everything }),
  ],
  [
    'NON_POSITIVE_OFFSET: a page that ends at 0',
    'nonPositiveOffset',
    400,
    page,
    () => ({ endOffsetInclusive: 0, updateFormat: everything }),
  ],
  [
    'DESCENDING_ORDER_MISSING_END',
    'descendingWithoutEnd',
    400,
    updates,
    () => ({ beginExclusive: 0, descendingOrder: true, updateFormat: everything }),
  ],
  [
    'OFFSET_AFTER_LEDGER_END: the begin',
    'offsetAfterLedgerEnd',
    400,
    updates,
    ({ end }) => ({ beginExclusive: end + 1, updateFormat: everything }),
  ],
  [
    'OFFSET_AFTER_LEDGER_END: the end',
    'offsetAfterLedgerEnd',
    400,
    updates,
    ({ asked, end }) => asked({ endInclusive: end + 1, updateFormat: everything }),
  ],
  [
    'OFFSET_AFTER_LEDGER_END: active contracts',
    'offsetAfterLedgerEnd',
    400,
    contracts,
    ({ end }) => ({ activeAtOffset: end + 1, eventFormat: eventsOf() }),
  ],
  [
    'OFFSET_AFTER_LEDGER_END: a page',
    'offsetAfterLedgerEnd',
    400,
    page,
    ({ end }) => ({ endOffsetInclusive: end + 1, updateFormat: everything }),
  ],
  [
    'OFFSET_OUT_OF_RANGE: an end before the begin',
    'offsetOutOfRange',
    400,
    updates,
    () => ({ beginExclusive: 3, endInclusive: 2, updateFormat: everything }),
  ],
  [
    'UPDATE_NOT_FOUND: by offset',
    'updateNotFound',
    404,
    byOffset,
    ({ end }) => ({ offset: end + 1, updateFormat: everything }),
    { resources: [['OFFSET', expect.any(String)]] },
  ],
  [
    'UPDATE_NOT_FOUND: everything of it is filtered away',
    'updateNotFound',
    404,
    byOffset,
    ({ end }) => ({ offset: end, updateFormat: {} }),
  ],
  [
    'UPDATE_NOT_FOUND: by id',
    'updateNotFound',
    404,
    byId,
    () => ({ updateId: nobodysId, updateFormat: everything }),
    { resources: [['UPDATE_ID', nobodysId]] },
  ],
  [
    'UPDATE_NOT_FOUND: by hash',
    'updateNotFound',
    404,
    byHash,
    () => ({ transactionHash: 'q80=', updateFormat: everything }),
    { resources: [['TRANSACTION_HASH', 'abcd']] },
  ],
  [
    'INVALID_ARGUMENT: an update id that is no hash',
    'invalidUpdateId',
    400,
    byId,
    () => ({ updateId: 'xyz', updateFormat: everything }),
  ],
  [
    'INVALID_ARGUMENT: a page of nothing',
    'invalidPageSize',
    400,
    page,
    () => ({ maxPageSize: 0, updateFormat: everything }),
  ],
  [
    'INVALID_ARGUMENT: a page of too much',
    'invalidPageSize',
    400,
    page,
    () => ({ maxPageSize: 2001, updateFormat: everything }),
  ],
  [
    'INVALID_ARGUMENT: a page that ends before its begin',
    'pageEndsBeforeBegin',
    400,
    page,
    () => ({ beginOffsetExclusive: 3, endOffsetInclusive: 2, updateFormat: everything }),
  ],
  [
    'INVALID_FIELD: a page token that is none',
    'undecodablePageToken',
    400,
    page,
    () => ({ pageToken: 'AAAA', updateFormat: everything }),
    { context: expect.objectContaining({ field_name: 'page_token' }) },
  ],
  [
    'INVALID_CONTINUATION_TOKEN',
    'invalidContinuationToken',
    400,
    contracts,
    () => ({ activeAtOffset: 1, eventFormat: eventsOf(), streamContinuationToken: 'AAAA' }),
  ],
]

describe('errors in the form of Canton', () => {
  test.each(cases.map((one) => ({ one, says: one[0] })))(
    '$says',
    async ({ one: [, kind, status, line, body, told] }) => {
      expectCanton(await doors.ask(line, body(doors)), kind, status, told)
    },
  )

  test('INVALID_UPDATES_PAGE_TOKEN: a page token of another request', async () => {
    const first = { maxPageSize: 1, updateFormat: everything }
    const { nextPageToken: pageToken } = (await doors.ask(page, first)).json
    expectCanton(await doors.ask(page, { ...first, maxPageSize: 2, pageToken }), 'invalidPageToken', 400)
    expect(await doors.ask(page, { ...first, pageToken })).toMatchObject({ status: 200 })
  })
})
