import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf, filtering, updatesOf } from '../ledger-doors.ts'
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
  template,
  updates,
} from './asked-doors.ts'

let doors: AskedDoors

beforeAll(async () => {
  doors = await openAskedDoors()
})
afterAll(() => doors[Symbol.asyncDispose]())

const packageId = 'ab'.repeat(32)
const ofInterface = (interfaceId: string) => ({ InterfaceFilter: { value: { interfaceId } } })
const formatOf = (identifierFilter: object) => ({ updateFormat: updatesOf(filtering(identifierFilter)) })

const cases: readonly Case[] = [
  [
    'INVALID_ARGUMENT: updateFormat and filter',
    'bothForms',
    400,
    updates,
    ({ asked }) => asked({ updateFormat: everything, filter: eventsOf() }),
  ],
  [
    'INVALID_ARGUMENT: updateFormat and verbose',
    'verboseBesideFormat',
    400,
    updates,
    ({ asked }) => asked({ updateFormat: everything, verbose: true }),
  ],
  ['INVALID_ARGUMENT: neither updateFormat nor filter', 'noForm', 400, updates, ({ asked }) => asked({})],
  [
    'INVALID_ARGUMENT: eventFormat and filter',
    'bothForms',
    400,
    contracts,
    () => ({ activeAtOffset: 1, eventFormat: eventsOf(), filter: eventsOf() }),
  ],
  [
    'INVALID_ARGUMENT: eventFormat and verbose',
    'verboseBesideFormat',
    400,
    contracts,
    () => ({ activeAtOffset: 1, eventFormat: eventsOf(), verbose: true }),
  ],
  [
    'INVALID_ARGUMENT: neither eventFormat nor filter',
    'noForm',
    400,
    contracts,
    () => ({ activeAtOffset: 1 }),
  ],
  [
    'INVALID_ARGUMENT: a format of nobody',
    'noFilters',
    400,
    updates,
    ({ asked }) => asked({ updateFormat: updatesOf({ filtersByParty: {} }) }),
  ],
  [
    'INVALID_ARGUMENT: an illegal party',
    'invalidParty',
    400,
    updates,
    ({ asked }) => asked({ updateFormat: updatesOf(eventsOf('a/b')) }),
  ],
  [
    'INVALID_FIELD: an illegal party of topology events',
    'invalidTopologyParty',
    400,
    updates,
    ({ asked }) =>
      asked({
        updateFormat: {
          includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: ['a/b'] } },
        },
      }),
  ],
  [
    'MISSING_FIELD: event_format',
    'missingField',
    400,
    updates,
    ({ asked }) =>
      asked({ updateFormat: { includeTransactions: { transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' } } }),
    { context: expect.objectContaining({ field_name: 'event_format' }) },
  ],
  [
    'MISSING_FIELD: transaction_shape is null',
    'missingField',
    400,
    updates,
    ({ asked }) =>
      asked({ updateFormat: { includeTransactions: { eventFormat: eventsOf(), transactionShape: null } } }),
    { context: expect.objectContaining({ field_name: 'transaction_shape' }) },
  ],
  [
    'MISSING_FIELD: transaction_shape is unspecified',
    'missingField',
    400,
    updates,
    ({ asked }) => asked({ updateFormat: updatesOf(eventsOf(), 'TRANSACTION_SHAPE_UNSPECIFIED') }),
  ],
  [
    'MISSING_FIELD: update_format',
    'missingField',
    400,
    byOffset,
    () => ({ offset: 1 }),
    { context: expect.objectContaining({ field_name: 'update_format' }) },
  ],
  ['MISSING_FIELD: update_format of a page', 'missingField', 400, page, () => ({})],
  [
    'MISSING_FIELD: update_id',
    'missingField',
    400,
    byId,
    () => ({ updateId: '', updateFormat: everything }),
    { context: expect.objectContaining({ field_name: 'update_id' }) },
  ],
  [
    'MISSING_FIELD: transaction_hash',
    'missingField',
    400,
    byHash,
    () => ({ updateFormat: everything }),
    { context: expect.objectContaining({ field_name: 'transaction_hash' }) },
  ],
  [
    'INVALID_FIELD: a template by package id',
    'packageIdInFilter',
    400,
    updates,
    ({ asked }) => asked(formatOf(template(`${packageId}:Splice.Ans:AnsEntry`))),
    { context: expect.objectContaining({ field_name: 'packageId' }) },
  ],
  [
    'PACKAGE_NAMES_NOT_FOUND',
    'unknownPackageNames',
    404,
    updates,
    ({ asked }) => asked(formatOf(template('#nobodys:Splice.Ans:AnsEntry'))),
    { cause: expect.stringContaining('[nobodys]') },
  ],
  [
    'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
    'unknownTemplates',
    404,
    updates,
    ({ asked }) => asked(formatOf(template('#splice-amulet:Splice.Amulet:Nothing'))),
  ],
  [
    'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
    'unknownInterfaces',
    404,
    updates,
    ({ asked }) => asked(formatOf(ofInterface('#splice-amulet:Splice.Amulet:Nothing'))),
  ],
  [
    'PACKAGE_NAMES_NOT_FOUND: active contracts',
    'unknownPackageNames',
    404,
    contracts,
    () => ({ activeAtOffset: 1, eventFormat: filtering(template('#nobodys:A:B')) }),
  ],
]

describe('errors in the form of Canton', () => {
  test.each(cases.map((one) => ({ one, says: one[0] })))(
    '$says',
    async ({ one: [, kind, status, line, body, told] }) => {
      expectCanton(await doors.ask(line, body(doors)), kind, status, told)
    },
  )
})
