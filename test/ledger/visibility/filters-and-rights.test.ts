import { describe, expect, test } from 'vitest'
import type { Event } from '../../../src/ledger/visibility/delivered.ts'
import type { EventFormat, TransactionShape } from '../../../src/ledger/visibility/format.ts'
import {
  type Action,
  Boat,
  consume,
  contractOf,
  contractTypes,
  create,
  events,
  house,
  Owned,
  ofInterface,
  ofTemplate,
  rights,
  Sailing,
  use,
  wildcard,
} from './ledger.ts'
import { both, everything, line, seen } from './seen.ts'

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

  test('is not shown to a reader who named a submitter without the right to', () => {
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

function contractIdOf(event: Event): string {
  return event.kind === 'created' ? event.contract.contractId : event.contractId
}
