import { describe, expect, test } from 'vitest'
import type { Reassignment, Update } from '../../../src/ledger/update.ts'
import type { DeliveredTransaction, Event } from '../../../src/ledger/visibility/delivered.ts'
import type { EventFormat, TransactionShape } from '../../../src/ledger/visibility/format.ts'
import { contractView, updateView } from '../../../src/ledger/visibility/visible.ts'
import {
  type Action,
  active,
  allocation,
  Boat,
  catalog,
  consume,
  contractOf,
  contractTypes,
  create,
  events,
  House,
  house,
  move,
  Owned,
  ofInterface,
  ofTemplate,
  reassignment,
  rights,
  Sailing,
  synchronizerId,
  topology,
  transaction,
  updates,
  use,
  wildcard,
} from './ledger.ts'

const everything = rights('*')
const both: readonly TransactionShape[] = ['ACS_DELTA', 'LEDGER_EFFECTS']

function seen(
  actions: readonly Action[],
  format: EventFormat,
  shape: TransactionShape,
  reader = everything,
  actAs = 'a',
): DeliveredTransaction | undefined {
  const view = updateView(updates(format, shape), reader, catalog)
  return view(transaction(actions, actAs)) as DeliveredTransaction | undefined
}

/** What a reader of parties sees, in short: `kind node witnesses`, and `delta` where it changes their contracts. */
function short(actions: readonly Action[], parties: string, shape: TransactionShape): readonly string[] {
  const format = events(Object.fromEntries([...parties].map((one) => [one, []])))
  return (seen(actions, format, shape)?.events ?? []).map(line)
}

function line(event: Event): string {
  const delta = event.kind !== 'archived' && event.acsDelta ? ' delta' : ''
  return `${event.kind} ${event.nodeId} ${event.witnessParties.join('')}${delta}`
}

describe('the shape ACS_DELTA', () => {
  const shape = 'ACS_DELTA'

  test('shows creates and archives to stakeholders, and no exercise', () => {
    const actions = [consume(house('old', 'a', 'b'), 'c', create(house('new', 'b', 'd')))]
    expect(short(actions, 'a', shape)).toEqual(['archived 0 a'])
    expect(short(actions, 'b', shape)).toEqual(['archived 0 b', 'created 1 b delta'])
    expect(short(actions, 'd', shape)).toEqual(['created 1 d delta'])
    expect(short(actions, 'abd', shape)).toEqual(['archived 0 ab', 'created 1 bd delta'])
  })

  test('does not show a create to who only witnesses it, nor an archive to its actor', () => {
    const actions = [consume(house('old', 'a'), 'c', create(house('new', 'b')))]
    expect(short(actions, 'c', shape)).toEqual([])
  })

  test('leaves out what the transaction itself creates and archives', () => {
    const passing = house('passing', 'a')
    const actions = [create(passing), create(house('stays', 'a')), consume(passing, 'a')]
    expect(short(actions, 'a', shape)).toEqual(['created 1 a delta'])
    expect(seen([create(passing), consume(passing, 'a')], events({ a: [] }), shape)).toBeUndefined()
  })

  test('does not show what only uses a contract', () => {
    expect(seen([use(house('old', 'a'), 'a')], events({ a: [] }), shape)).toBeUndefined()
  })
})

describe('the shape LEDGER_EFFECTS', () => {
  const shape = 'LEDGER_EFFECTS'

  test('shows each node to its informees and to those of all above it', () => {
    const inner = use(house('inner', 'b', 'o'), 'c', create(house('new', 'd')))
    const actions = [consume(house('old', 'a', 'o'), 'a', inner)]
    const [outer, below, made] = ['exercised 0', 'exercised 1', 'created 2']
    expect(short(actions, 'a', shape)).toEqual([`${outer} a delta`, `${below} a`, `${made} a`])
    expect(short(actions, 'o', shape)).toEqual([`${outer} o delta`, `${below} o`, `${made} o`])
    expect(short(actions, 'b', shape)).toEqual([`${below} b`, `${made} b`])
    expect(short(actions, 'c', shape)).toEqual([`${below} c`, `${made} c`])
    expect(short(actions, 'd', shape)).toEqual([`${made} d delta`])
  })

  test('does not show the use of a contract to its observers', () => {
    expect(seen([use(house('old', 'a', 'o'), 'a')], events({ o: [] }), shape)).toBeUndefined()
  })

  test('shows what the transaction itself creates and archives as no change of the active contracts', () => {
    const passing = house('passing', 'a')
    const actions = [create(passing), consume(passing, 'a')]
    expect(short(actions, 'a', shape)).toEqual(['created 0 a', 'exercised 1 a'])
  })

  test('lets a reader keep the active contracts by what is marked as a change of them', () => {
    const passing = house('passing', 'a')
    const actions = [
      consume(
        house('old', 'ab'),
        'b',
        create(passing),
        consume(passing, 'b', create(house('new', 'a', 'b'))),
      ),
      use(house('kept', 'b'), 'b', create(house('other', 'c'))),
    ]
    for (const parties of ['a', 'b', 'c', 'ab', 'abc']) {
      const changes = short(actions, parties, shape).filter((text) => text.endsWith('delta'))
      const delta = short(actions, parties, 'ACS_DELTA')
      const place = (text: string) => text.split(' ')[1]
      expect(changes.map(place)).toEqual(delta.map(place))
    }
  })

  test('keeps the ids of a subtree when what is above it is filtered away', () => {
    const actions = [
      consume(house('old', 'a'), 'a', use(house('inner', 'b'), 'b', create(house('new', 'b')))),
    ]
    const delivered = seen(actions, events({ b: [] }), shape)
    expect(delivered?.events.map(line)).toEqual(['exercised 1 b', 'created 2 b delta'])
    expect(delivered?.events[0]).toMatchObject({ nodeId: 1, lastDescendantNodeId: 2 })
  })
})

describe('an event', () => {
  test('that is created has everything of its contract', () => {
    const boat = contractOf('boat', contractTypes[2], ['a', 'b'], ['c'])
    expect(seen([create(boat)], events({ b: [] }), 'ACS_DELTA')).toEqual({
      kind: 'transaction',
      updateId: '1220aa',
      commandId: '',
      workflowId: 'flow',
      effectiveAt: 5,
      events: [
        {
          kind: 'created',
          offset: 7,
          nodeId: 0,
          contract: boat,
          createdEventBlob: '',
          interfaceViews: [],
          witnessParties: ['b'],
          acsDelta: true,
        },
      ],
      offset: 7,
      synchronizerId,
      recordTime: 6,
    })
  })

  test('that is exercised has its choice, its result and who made it', () => {
    const delivered = seen([consume(house('old', 'a'), 'b')], events({ a: [] }), 'LEDGER_EFFECTS')
    expect(delivered?.events).toEqual([
      {
        kind: 'exercised',
        offset: 7,
        nodeId: 0,
        contractId: 'old',
        templateId: House.templateId,
        interfaceId: null,
        choice: 'Consume',
        choiceArgument: { of: 0 },
        actingParties: ['b'],
        consuming: true,
        witnessParties: ['a'],
        lastDescendantNodeId: 0,
        exerciseResult: { to: 0 },
        packageName: 'alpha',
        implementedInterfaces: [],
        acsDelta: true,
      },
    ])
  })

  test('that is archived has no choice', () => {
    const delivered = seen([consume(house('old', 'a'), 'b')], events({ a: [] }), 'ACS_DELTA')
    expect(delivered?.events).toEqual([
      {
        kind: 'archived',
        offset: 7,
        nodeId: 0,
        contractId: 'old',
        templateId: House.templateId,
        witnessParties: ['a'],
        packageName: 'alpha',
        implementedInterfaces: [],
      },
    ])
  })
})

describe('witness parties', () => {
  const actions = [create(house('new', 'ab', 'c'))]

  test('that were not asked for are not told of', () => {
    for (const shape of both) {
      expect(seen(actions, events({ b: [] }), shape)?.events[0]?.witnessParties).toEqual(['b'])
      expect(seen(actions, events({ b: [], c: [], x: [] }), shape)?.events[0]?.witnessParties).toEqual([
        'b',
        'c',
      ])
    }
  })

  test('are all told of where any party is asked for', () => {
    for (const shape of both)
      expect(seen(actions, events({ '*': [] }), shape)?.events[0]?.witnessParties).toEqual(['a', 'b', 'c'])
  })

  test('are also those whose own filter selects other templates', () => {
    const format = events({ a: [ofTemplate('#alpha:Main:House')], b: [ofTemplate('#beta:Main:House')] })
    for (const shape of both)
      expect(seen(actions, format, shape)?.events[0]?.witnessParties).toEqual(['a', 'b'])
  })
})

describe('a filter', () => {
  const boat = contractOf('boat', contractTypes[2], ['a'])
  const later = contractOf('later', contractTypes[1], ['a'])
  const tree = contractOf('tree', contractTypes[3], ['a'])
  const all = [create(house('house', 'a')), create(later), create(boat), create(tree)]
  const ids = (format: EventFormat, shape: TransactionShape = 'ACS_DELTA') =>
    (seen(all, format, shape)?.events ?? []).map(contractIdOf)

  test('of a template by package name selects all versions of it, and no namesake of another package', () => {
    for (const shape of both) {
      expect(ids(events({ a: [ofTemplate('#alpha:Main:House')] }), shape)).toEqual(['house', 'later'])
      expect(ids(events({ a: [ofTemplate('#beta:Main:House')] }), shape)).toEqual(['tree'])
      expect(ids(events({ '*': [ofTemplate('#alpha:Main:Boat')] }), shape)).toEqual(['boat'])
    }
  })

  test('of a template by package id stands for the name of that package', () => {
    expect(ids(events({ a: [ofTemplate(`${'2'.repeat(64)}:Main:House`)] }))).toEqual(['house', 'later'])
    expect(ids(events({ a: [ofTemplate(`${'9'.repeat(64)}:Main:House`)] }))).toEqual([])
  })

  test('of an interface selects the contracts of all templates that implement it', () => {
    expect(ids(events({ a: [ofInterface('#api:Api:Owned')] }))).toEqual(['house', 'later', 'boat'])
    expect(ids(events({ a: [ofInterface('#api:Api:Sailing')] }))).toEqual(['boat'])
    expect(ids(events({ a: [ofInterface('#api:Api:Unused')] }))).toEqual([])
    expect(ids(events({ a: [ofInterface('#api:Api:Nothing')] }))).toEqual([])
  })

  test('adds to the others', () => {
    const format = events({ a: [ofTemplate('#beta:Main:House'), ofInterface('#api:Api:Sailing')] })
    expect(ids(format)).toEqual(['boat', 'tree'])
    const union = events({ a: [ofTemplate('#beta:Main:House')], '*': [ofTemplate('#alpha:Main:Boat')] })
    expect(ids(union)).toEqual(['boat', 'tree'])
  })

  test('that is empty is a wildcard, unless there are others beside it', () => {
    expect(ids(events({ a: [] }))).toEqual(['house', 'later', 'boat', 'tree'])
    expect(ids(events({ a: [{ kind: 'empty' }, { kind: 'empty' }] }))).toHaveLength(4)
    expect(ids(events({ a: [{ kind: 'empty' }, ofTemplate('#alpha:Main:Boat')] }))).toEqual(['boat'])
  })

  test('of a party that the ledger does not know selects nothing', () => {
    expect(ids(events({ stranger: [] }))).toEqual([])
    expect(ids(events({ ['__proto__']: [], constructor: [] }))).toEqual([])
  })

  test('selects exercises as it does creates', () => {
    const actions = [consume(house('old', 'a'), 'a', use(boat, 'a'))]
    const format = events({ a: [ofTemplate('#alpha:Main:Boat')] })
    expect(seen(actions, format, 'LEDGER_EFFECTS')?.events.map(line)).toEqual(['exercised 1 a'])
    expect(seen(actions, format, 'ACS_DELTA')).toBeUndefined()
  })
})

describe('a created-event blob', () => {
  const withBlob = { kind: 'wildcard', includeCreatedEventBlob: true } as const
  const blob = (format: EventFormat) => {
    const [event] = seen([create(house('new', 'a'))], format, 'ACS_DELTA')?.events ?? []
    return event?.kind === 'created' ? event.createdEventBlob : undefined
  }

  test('is there only when it was asked for', () => {
    expect(blob(events({ a: [wildcard] }))).toBe('')
    expect(blob(events({ a: [ofTemplate('#alpha:Main:House')] }))).toBe('')
    expect(blob(events({ a: [withBlob] }))).toBe('blob of new')
    expect(blob(events({ '*': [withBlob] }))).toBe('blob of new')
    expect(blob(events({ a: [wildcard, ofTemplate('#alpha:Main:House', true)] }))).toBe('blob of new')
  })

  test('is not there because it was asked for with other contracts', () => {
    expect(blob(events({ a: [wildcard, ofTemplate('#beta:Main:House', true)] }))).toBe('')
    expect(blob(events({ a: [wildcard], b: [withBlob] }))).toBe('')
  })
})

describe('an interface view', () => {
  const boat = contractOf('boat', contractTypes[2], ['a'])
  const views = (format: EventFormat) => {
    const [event] = seen([create(boat)], format, 'ACS_DELTA')?.events ?? []
    return event?.kind === 'created' ? event.interfaceViews : undefined
  }
  const ok = { code: 0, message: '', details: [] }

  test('comes for each interface that is asked for with one', () => {
    expect(views(events({ a: [ofInterface('#api:Api:Owned')] }))).toEqual([])
    expect(views(events({ a: [ofInterface('#api:Api:Owned', true), wildcard] }))).toEqual([
      {
        interfaceId: Owned.interfaceId,
        viewStatus: ok,
        viewValue: { owner: 'a' },
        implementationPackageId: Boat.package.id,
      },
    ])
    const twice = [ofInterface('#api:Api:Sailing', true), ofInterface('#api:Api:Owned', true)]
    expect(views(events({ a: twice, '*': twice }))?.map(({ interfaceId }) => interfaceId)).toEqual([
      Owned.interfaceId,
      Sailing.interfaceId,
    ])
  })

  test('makes the archive of the contract tell of the interface, and the use of it not', () => {
    const format = events({ a: [ofInterface('#api:Api:Sailing', true), ofInterface('#api:Api:Owned')] })
    const interfacesIn = (action: Action, shape: TransactionShape) => {
      const [event] = seen([action], format, shape)?.events ?? []
      return event?.kind === 'created' ? undefined : event?.implementedInterfaces
    }
    expect(interfacesIn(consume(boat, 'a'), 'ACS_DELTA')).toEqual([Sailing.interfaceId])
    expect(interfacesIn(consume(boat, 'a'), 'LEDGER_EFFECTS')).toEqual([Sailing.interfaceId])
    expect(interfacesIn(use(boat, 'a'), 'LEDGER_EFFECTS')).toEqual([])
  })
})

describe('the command id', () => {
  const actions = [create(house('new', 'a', 'b'))]
  const commandId = (format: EventFormat, actAs: string, reader = everything) =>
    seen(actions, format, 'ACS_DELTA', reader, actAs)?.commandId

  test('is for readers of a party that submitted', () => {
    expect(commandId(events({ a: [] }), 'ac')).toBe('command')
    expect(commandId(events({ b: [], c: [] }), 'ac')).toBe('command')
    expect(commandId(events({ '*': [] }), 'ac')).toBe('command')
    expect(commandId(events({ b: [] }), 'ac')).toBe('')
  })

  test('is not for who named a submitter without the right to', () => {
    expect(commandId(events({ a: [], b: [] }), 'a', rights('b'))).toBe('')
    expect(commandId(events({ b: [], '*': [] }), 'a', rights('b'))).toBe('')
  })
})

describe('rights', () => {
  const actions = [create(house('of-a', 'a', 'b')), create(house('of-c', 'c'))]

  test('cut what a format asks for beyond them', () => {
    const format = events({ a: [], b: [], c: [], '*': [] })
    for (const shape of both) {
      const delivered = seen(actions, format, shape, rights('b'))
      expect(delivered?.events.map(line)).toEqual(['created 0 b delta'])
      expect(seen(actions, format, shape, rights(''))).toBeUndefined()
    }
  })

  test('of any party are those of each', () => {
    expect(seen(actions, events({ c: [] }), 'ACS_DELTA', rights('*'))?.events).toHaveLength(1)
  })

  test('do not widen what a format asks for', () => {
    expect(seen(actions, events({ c: [] }), 'ACS_DELTA', rights('abc'))?.events).toHaveLength(1)
  })
})

describe('an update', () => {
  test('of a kind that was not asked for is not delivered', () => {
    const nothing = {
      includeTransactions: undefined,
      includeReassignments: undefined,
      includeTopologyEvents: undefined,
    }
    const contract = house('new', 'a')
    const every: readonly (Update | Reassignment)[] = [
      transaction([create(contract)]),
      reassignment([move('assign', contract)]),
      allocation('a'),
    ]
    const delivered = (format: Parameters<typeof updateView>[0]) =>
      every.map(updateView(format, everything, catalog)).map((update) => update?.kind)
    expect(delivered(nothing)).toEqual([undefined, undefined, undefined])
    expect(delivered(updates(events({ a: [] }), 'ACS_DELTA'))).toEqual([
      'transaction',
      'reassignment',
      undefined,
    ])
    expect(delivered(topology())).toEqual([undefined, undefined, 'topology-transaction'])
    expect(delivered({ ...nothing, includeTopologyEvents: {} as never })).toEqual(Array(3).fill(undefined))
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

describe('a reassignment', () => {
  const moves = [move('unassign', house('one', 'a', 'b'), 0), move('assign', house('two', 'c'), 1)]
  const delivered = (format: EventFormat) =>
    updateView(updates(format, 'LEDGER_EFFECTS'), everything, catalog)(reassignment(moves))

  test('is for stakeholders, with the contract where it arrives', () => {
    const place = {
      source: synchronizerId,
      target: 'private::1220',
      reassignmentId: '00aa',
      submitter: 'a',
      reassignmentCounter: 1,
    }
    const [unassigned, assigned] = [
      {
        kind: 'unassigned',
        ...place,
        contractId: 'one',
        templateId: House.templateId,
        assignmentExclusivity: null,
        witnessParties: ['b'],
        packageName: 'alpha',
        offset: 9,
        nodeId: 0,
      },
      {
        kind: 'assigned',
        ...place,
        createdEvent: expect.objectContaining({
          kind: 'created',
          contract: expect.objectContaining({ contractId: 'two' }),
          witnessParties: ['c'],
          offset: 9,
          nodeId: 1,
          acsDelta: true,
        }),
      },
    ]
    const of = (...events: readonly object[]) => expect.objectContaining({ commandId: '', offset: 9, events })
    expect(delivered(events({ b: [] }))).toEqual(of(unassigned as object))
    expect(delivered(events({ b: [], c: [] }))).toEqual(of(unassigned as object, assigned as object))
    expect(delivered(events({ c: [] }))).toEqual(of(assigned as object))
    expect(delivered(events({ d: [] }))).toBeUndefined()
  })

  test('tells its command id to who reads as a submitter', () => {
    expect(delivered(events({ a: [] }))).toMatchObject({ commandId: 'move' })
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
      reassignmentCounter: 0,
    })
    expect(look(events({ c: [] }))).toBeUndefined()
    expect(look(events({ b: [] }), rights('a'))).toBeUndefined()
    expect(look(events({ a: [ofTemplate('#alpha:Main:Boat')] }))).toBeUndefined()
  })
})

function contractIdOf(event: Event): string {
  return event.kind === 'created' ? event.contract.contractId : event.contractId
}
