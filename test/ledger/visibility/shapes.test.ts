import { describe, expect, test } from 'vitest'
import {
  consume,
  contractOf,
  contractTypes,
  create,
  events,
  House,
  house,
  ofTemplate,
  synchronizerId,
  use,
} from './ledger.ts'
import { both, line, seen, short } from './seen.ts'

describe('the shape ACS_DELTA', () => {
  const shape = 'ACS_DELTA'

  test('shows creates and archives to stakeholders, and no exercise', () => {
    const actions = [consume(house('old', 'a', 'b'), 'c', create(house('new', 'b', 'd')))]
    expect(short(actions, 'a', shape)).toEqual(['archived 0 a'])
    expect(short(actions, 'b', shape)).toEqual(['archived 0 b', 'created 1 b delta'])
    expect(short(actions, 'd', shape)).toEqual(['created 1 d delta'])
    expect(short(actions, 'abd', shape)).toEqual(['archived 0 ab', 'created 1 bd delta'])
  })

  test('does not show a create to a mere witness, nor an archive to its actor', () => {
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

  test('that the reader did not ask for are not shown', () => {
    for (const shape of both) {
      expect(seen(actions, events({ b: [] }), shape)?.events[0]?.witnessParties).toEqual(['b'])
      expect(seen(actions, events({ b: [], c: [], x: [] }), shape)?.events[0]?.witnessParties).toEqual([
        'b',
        'c',
      ])
    }
  })

  test('are all shown if the reader asks for any party', () => {
    for (const shape of both)
      expect(seen(actions, events({ '*': [] }), shape)?.events[0]?.witnessParties).toEqual(['a', 'b', 'c'])
  })

  test('are also those whose own filter selects other templates', () => {
    const format = events({ a: [ofTemplate('#alpha:Main:House')], b: [ofTemplate('#beta:Main:House')] })
    for (const shape of both)
      expect(seen(actions, format, shape)?.events[0]?.witnessParties).toEqual(['a', 'b'])
  })
})
