import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { Party } from '../../../src/ledger/value.ts'
import type { CreatedEvent, DeliveredUpdate, Event } from '../../../src/ledger/visibility/delivered.ts'
import { contractView, updateView } from '../../../src/ledger/visibility/visible.ts'
import {
  someContract,
  someEvents,
  someParty,
  someRights,
  someShape,
  someTopology,
  someTransaction,
} from './arbitrary.ts'
import { active, allocation, catalog, create, topology, updates } from './ledger.ts'
import { commandIdFor, type Sight, sightsOf } from './oracle.ts'

const runs = { numRuns: 3_000, interruptAfterTimeLimit: 15_000 }

describe('a reader never sees an event that its rights do not cover, and misses none that it asked for', () => {
  const count = { delivered: 0, withheld: 0 }

  test('in transactions', () => {
    fc.assert(
      fc.property(someTransaction, someShape, someEvents, someRights, (made, shape, format, rights) => {
        const { actions, transaction } = made
        const delivered = updateView(updates(format, shape), rights, catalog)(transaction)
        const reader = { format, rights }
        const expected = sightsOf(actions, shape, reader)
        expect(sightsIn(delivered)).toEqual(expected)
        count[delivered === undefined ? 'withheld' : 'delivered']++
        if (delivered === undefined) return
        expect(delivered).toMatchObject({ commandId: commandIdFor(transaction, reader) })
        for (const event of eventsIn(delivered)) {
          const node = transaction.nodes[event.nodeId]
          expect(node).toBeDefined()
          expectCovered(event.witnessParties, node?.witnesses ?? [], rights)
        }
      }),
      runs,
    )
  })

  test('in the allocation of parties', () => {
    fc.assert(
      fc.property(someParty, someTopology, someRights, (party, parties, rights) => {
        const asked = parties === undefined ? updates(none, 'ACS_DELTA') : topology(...parties)
        const delivered = updateView(asked, rights, catalog)(allocation(party))
        const mayRead = rights.readAsAnyParty || rights.readAs.has(party)
        const isNamed = parties?.includes(party) === true
        const isEvery = parties?.length === 0 && rights.readAsAnyParty
        expect(delivered !== undefined).toBe((isNamed && mayRead) || isEvery)
        count[delivered === undefined ? 'withheld' : 'delivered']++
      }),
      { numRuns: 500 },
    )
  })

  test('in active contracts', () => {
    fc.assert(
      fc.property(someContract, someEvents, someRights, (contract, format, rights) => {
        const delivered = contractView(format, rights, catalog)(active(contract))
        const expected = sightsOf([create(contract)], 'ACS_DELTA', { format, rights })
        const seen = delivered === undefined ? [] : [sightOf({ ...delivered.createdEvent, nodeId: 0 })]
        expect(seen).toEqual(expected)
        count[delivered === undefined ? 'withheld' : 'delivered']++
      }),
      runs,
    )
  })

  afterAll(() => {
    expect(count.delivered).toBeGreaterThan(1_000)
    expect(count.withheld).toBeGreaterThan(1_000)
  })
})

const none = { filtersByParty: new Map(), filtersForAnyParty: undefined, verbose: false }

function expectCovered(
  shown: readonly Party[],
  informed: readonly Party[],
  { readAs, readAsAnyParty }: { readonly readAs: ReadonlySet<Party>; readonly readAsAnyParty: boolean },
): void {
  expect(shown.length).toBeGreaterThan(0)
  for (const party of shown) {
    expect(informed).toContain(party)
    expect(readAsAnyParty || readAs.has(party)).toBe(true)
  }
}

function eventsIn(delivered: DeliveredUpdate): readonly Event[] {
  return delivered.kind === 'transaction' ? delivered.events : []
}

function sightsIn(delivered: DeliveredUpdate | undefined): readonly Sight[] {
  if (delivered === undefined) return []
  if (delivered.kind === 'topology-transaction') throw new Error('was not asked for')
  return delivered.events.map(sightOf)
}

function sightOf(event: Event): Sight {
  switch (event.kind) {
    case 'created':
      return created(event)
    default: {
      const { kind, nodeId, contractId, witnessParties } = event
      return {
        kind,
        nodeId,
        contractId,
        witnessParties: witnessParties.toSorted(),
        acsDelta: kind === 'exercised' ? event.acsDelta : undefined,
        createdEventBlob: undefined,
        interfaces: event.implementedInterfaces,
      }
    }
  }
}

function created(event: CreatedEvent): Sight {
  const { kind, nodeId, contract, witnessParties, acsDelta, createdEventBlob, interfaceViews } = event
  const { contractId } = contract
  return {
    kind,
    nodeId,
    contractId,
    witnessParties: witnessParties.toSorted(),
    acsDelta,
    createdEventBlob,
    interfaces: interfaceViews.map(({ interfaceId }) => interfaceId),
  }
}
