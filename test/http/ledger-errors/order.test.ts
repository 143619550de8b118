import { afterAll, beforeAll, test } from 'vitest'
import { type CantonErrorKind, cantonErrors } from '../../../src/errors/canton.ts'
import { type As, anyone, eventsOf, filtering, updatesOf } from '../ledger-doors.ts'
import {
  type AskedDoors,
  everything,
  expectCanton,
  openAskedDoors,
  template,
  updates,
} from './asked-doors.ts'

let doors: AskedDoors

beforeAll(async () => {
  doors = await openAskedDoors()
})
afterAll(() => doors[Symbol.asyncDispose]())

test('errors come in the order of Canton’s checks, but for the token, which is judged first', async () => {
  const { end, ask } = doors
  const allWrong = { beginExclusive: -1, endInclusive: 0, descendingOrder: true }
  const formats = { updateFormat: updatesOf({}), filter: eventsOf(), verbose: true }
  const cases: readonly [CantonErrorKind, object, As][] = [
    ['unauthenticated', { ...allWrong, ...formats }, {}],
    ['bothForms', { ...allWrong, ...formats }, { as: 'alice' }],
    ['verboseBesideFormat', { ...allWrong, updateFormat: updatesOf({}), verbose: true }, { as: 'alice' }],
    ['noForm', allWrong, { as: 'alice' }],
    ['permissionDenied', { ...allWrong, updateFormat: everything }, { as: 'alice' }],
    ['negativeOffset', { ...allWrong, updateFormat: updatesOf({}) }, { as: anyone }],
    [
      'descendingWithoutEnd',
      { beginExclusive: end + 1, descendingOrder: true, updateFormat: updatesOf({}) },
      { as: anyone },
    ],
    [
      'nonPositiveOffset',
      { beginExclusive: end + 1, endInclusive: 0, updateFormat: updatesOf({}) },
      { as: anyone },
    ],
    [
      'offsetAfterLedgerEnd',
      { beginExclusive: end + 1, endInclusive: 1, updateFormat: updatesOf({}) },
      { as: anyone },
    ],
    ['noFilters', { beginExclusive: 2, endInclusive: 1, updateFormat: updatesOf({}) }, { as: anyone }],
    [
      'invalidParty',
      {
        beginExclusive: 2,
        endInclusive: 1,
        updateFormat: updatesOf(eventsOf('/'), 'TRANSACTION_SHAPE_UNSPECIFIED'),
      },
      { as: anyone },
    ],
    [
      'missingField',
      {
        beginExclusive: 2,
        endInclusive: 1,
        updateFormat: updatesOf(filtering(template('a:b:c')), 'TRANSACTION_SHAPE_UNSPECIFIED'),
      },
      { as: anyone },
    ],
    [
      'packageIdInFilter',
      { beginExclusive: 2, endInclusive: 1, updateFormat: updatesOf(filtering(template('a:b:c'))) },
      { as: anyone },
    ],
    [
      'unknownPackageNames',
      { beginExclusive: 2, endInclusive: 1, updateFormat: updatesOf(filtering(template('#a:b:c'))) },
      { as: anyone },
    ],
    ['offsetOutOfRange', { beginExclusive: 2, endInclusive: 1, updateFormat: everything }, { as: anyone }],
  ]
  for (const [kind, body, as] of cases)
    expectCanton(await ask(updates, body, as), kind, cantonErrors[kind].status)
})
