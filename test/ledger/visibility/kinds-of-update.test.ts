import { describe, expect, test } from 'vitest'
import type { Update } from '../../../src/ledger/update.ts'
import type { EventFormat } from '../../../src/ledger/visibility/format.ts'
import { contractView, updateView } from '../../../src/ledger/visibility/visible.ts'
import {
  active,
  allocation,
  catalog,
  create,
  events,
  house,
  ofTemplate,
  rights,
  synchronizerId,
  topology,
  transaction,
  updates,
} from './ledger.ts'
import { everything, seen } from './seen.ts'

describe('an update', () => {
  test('of a kind that was not asked for is not delivered', () => {
    const nothing = {
      includeTransactions: undefined,
      includeReassignments: undefined,
      includeTopologyEvents: undefined,
    }
    const contract = house('new', 'a')
    const every: readonly Update[] = [transaction([create(contract)]), allocation('a')]
    const delivered = (format: Parameters<typeof updateView>[0]) =>
      every.map(updateView(format, everything, catalog)).map((update) => update?.kind)
    expect(delivered(nothing)).toEqual([undefined, undefined])
    expect(delivered(updates(events({ a: [] }), 'ACS_DELTA'))).toEqual(['transaction', undefined])
    expect(delivered(topology())).toEqual([undefined, 'topology-transaction'])
    expect(delivered({ ...nothing, includeTopologyEvents: {} as never })).toEqual(Array(2).fill(undefined))
  })

  test('is the same with verbose and without: in JSON fields always have their names', () => {
    const format = events({ a: [] })
    const actions = [create(house('new', 'a'))]
    expect(seen(actions, { ...format, verbose: true }, 'ACS_DELTA')).toEqual(
      seen(actions, format, 'ACS_DELTA'),
    )
  })
})

describe('the allocation of a party', () => {
  const told = (parties: readonly string[], reader: string) =>
    updateView(topology(...parties), rights(reader), catalog)(allocation('a'))

  test('is delivered as the participant that hosts it from now on', () => {
    expect(told(['b', 'a'], 'ab')).toEqual({
      kind: 'topology-transaction',
      updateId: '1220bb',
      offset: 8,
      synchronizerId,
      recordTime: 7,
      events: [
        {
          kind: 'participant-authorization-added',
          partyId: 'a',
          participantId: 'participant::1220',
          participantPermission: 'SUBMISSION',
        },
      ],
    })
  })

  test('is for readers of that party, and of any where no party is named', () => {
    expect(told(['a'], 'a')).toBeDefined()
    expect(told(['a'], '*')).toBeDefined()
    expect(told([], '*')).toBeDefined()
    expect(told(['b'], '*')).toBeUndefined()
    expect(told(['a'], 'b')).toBeUndefined()
    expect(told([], 'a')).toBeUndefined()
  })
})

describe('an active contract', () => {
  test('is for stakeholders, as its creation was', () => {
    const look = (format: EventFormat, reader = everything) =>
      contractView(format, reader, catalog)(active(house('kept', 'a', 'b')))
    expect(look(events({ b: [] }))).toEqual({
      workflowId: 'flow',
      createdEvent: expect.objectContaining({
        kind: 'created',
        contract: expect.objectContaining({ contractId: 'kept' }),
        offset: 7,
        nodeId: 2,
        createdEventBlob: '',
        witnessParties: ['b'],
        acsDelta: true,
      }),
      synchronizerId,
    })
    expect(look(events({ c: [] }))).toBeUndefined()
    expect(look(events({ b: [] }), rights('a'))).toBeUndefined()
    expect(look(events({ a: [ofTemplate('#alpha:Main:Boat')] }))).toBeUndefined()
  })
})
