import { describe, expect, test } from 'vitest'
import { spliceCatalog } from '../../../src/ledger/visibility/catalog.splice.ts'
import {
  problemOfEvents,
  problemOfUpdates,
  unknownInEvents,
  unknownInUpdates,
} from '../../../src/ledger/visibility/problems.ts'
import { catalog, events, ofInterface, ofTemplate, topology, updates, wildcard } from './ledger.ts'

describe('a format', () => {
  test('asks for a party or for any', () => {
    expect(problemOfEvents(events({}))).toEqual({ kind: 'no-filters' })
    expect(problemOfEvents(events({ '*': [] }))).toBeUndefined()
    expect(problemOfEvents(events({ a: [wildcard, { kind: 'empty' }] }))).toBeUndefined()
  })

  test('names templates and interfaces by the names of their packages', () => {
    const reference = `${'1'.repeat(64)}:Main:House`
    const problem = { kind: 'package-id', reference }
    expect(problemOfEvents(events({ a: [wildcard, ofTemplate(reference)] }))).toEqual(problem)
    expect(problemOfEvents(events({ a: [], '*': [ofInterface(reference)] }))).toEqual(problem)
    expect(problemOfEvents(events({ a: [ofTemplate('#none:Main:House')] }))).toBeUndefined()
  })

  test('of updates is one of transactions and one of reassignments', () => {
    const fine = updates(events({ a: [] }), 'ACS_DELTA')
    expect(problemOfUpdates(fine)).toBeUndefined()
    expect(problemOfUpdates(topology())).toBeUndefined()
    expect(problemOfUpdates({ ...fine, includeReassignments: events({}) })).toEqual({ kind: 'no-filters' })
    expect(problemOfUpdates({ ...fine, includeTransactions: undefined })).toBeUndefined()
  })
})

describe('what a ledger does not know', () => {
  const unknown = (...filters: Parameters<typeof events>[0][string][]) =>
    unknownInEvents(
      events(Object.fromEntries(filters.map((filter, index) => [`p${index}`, filter]))),
      catalog,
    )

  test('is reported: packages before templates before interfaces, each once', () => {
    const filters = [
      ofInterface('#api:Api:Nothing'),
      ofTemplate('#alpha:Main:Nothing'),
      ofTemplate('#none:Main:House'),
      ofInterface('#nowhere:Main:House'),
    ]
    expect(unknown(filters, filters)).toEqual({ kind: 'package-names', names: ['none', 'nowhere'] })
    const known = filters.slice(0, 2)
    expect(unknown(known, known)).toEqual({ kind: 'templates', references: ['#alpha:Main:Nothing'] })
    expect(unknown(filters.slice(0, 1))).toEqual({ kind: 'interfaces', references: ['#api:Api:Nothing'] })
  })

  test('is an interface where a template is meant, and the other way round', () => {
    expect(unknown([ofTemplate('#api:Api:Owned')])).toEqual({
      kind: 'templates',
      references: ['#api:Api:Owned'],
    })
    expect(unknown([ofInterface('#alpha:Main:House')])).toEqual({
      kind: 'interfaces',
      references: ['#alpha:Main:House'],
    })
  })

  test('is not an interface that no template implements, nor another version of a package', () => {
    expect(unknown([ofInterface('#api:Api:Unused'), wildcard], [])).toBeUndefined()
    expect(unknown([ofTemplate(`${'2'.repeat(64)}:Main:House`)])).toBeUndefined()
    const unheard = '9'.repeat(64)
    expect(unknown([ofTemplate(`${unheard}:Main:House`)])).toEqual({
      kind: 'package-names',
      names: [unheard],
    })
  })

  test('is looked for in transactions, then in reassignments', () => {
    const fine = updates(events({ a: [ofTemplate('#alpha:Main:House')] }), 'ACS_DELTA')
    expect(unknownInUpdates(fine, catalog)).toBeUndefined()
    const includeReassignments = events({ '*': [ofTemplate('#none:Main:House')] })
    expect(unknownInUpdates({ ...fine, includeReassignments }, catalog)).toEqual({
      kind: 'package-names',
      names: ['none'],
    })
  })
})

describe('the catalog of Splice', () => {
  test('has every template by the name of its package, and the interfaces that a wallet asks for', () => {
    const filters = [
      ofTemplate('#splice-amulet-name-service:Splice.Ans:AnsRules'),
      ofTemplate('#splice-amulet-name-service:Splice.Ans:AnsEntry'),
      ofTemplate('#splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest'),
      ofTemplate('#splice-amulet:Splice.Amulet:Amulet'),
      ofInterface('#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding'),
      ofInterface(
        '#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction',
      ),
      ofInterface('#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation'),
    ]
    expect(unknownInEvents(events({ a: filters }), spliceCatalog)).toBeUndefined()
  })

  test('has coin and locked coin as the holdings', () => {
    const holdings = spliceCatalog.interfaces.get(
      'splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding',
    )
    expect([...(holdings?.keys() ?? [])]).toEqual([
      'splice-amulet:Splice.Amulet:Amulet',
      'splice-amulet:Splice.Amulet:LockedAmulet',
    ])
  })
})
