import { describe, expect, test } from 'vitest'
import { mayReadEvents, mayReadUpdates } from '../../../src/ledger/visibility/rights.ts'
import { events, rights, topology, updates } from './ledger.ts'

describe('a request for events', () => {
  test('needs the right to read as every party that it names', () => {
    const format = events({ a: [], b: [] })
    const allowed = ['', 'a', 'ab', 'abc', '*'].map((reader) => mayReadEvents(rights(reader), format))
    expect(allowed).toEqual([false, false, true, true, true])
  })

  test('needs the right to read as any party where it asks for any', () => {
    for (const format of [events({ '*': [] }), events({ a: [], '*': [] })]) {
      expect(mayReadEvents(rights('abcd'), format)).toBe(false)
      expect(mayReadEvents(rights('*'), format)).toBe(true)
    }
  })

  test('that names nobody needs none', () => {
    expect(mayReadEvents(rights(''), events({}))).toBe(true)
  })
})

describe('a request for updates', () => {
  test('needs the rights of its transactions, of its reassignments and of its topology events', () => {
    const format = updates(events({ a: [] }), 'ACS_DELTA')
    const { includeReassignments: ofB } = updates(events({ b: [] }), 'ACS_DELTA')
    const { includeTopologyEvents: ofC } = topology('c')
    const all = { ...format, includeReassignments: ofB, includeTopologyEvents: ofC }
    const allowed = ['ab', 'ac', 'bc', 'abc', '*'].map((reader) => mayReadUpdates(rights(reader), all))
    expect(allowed).toEqual([false, false, false, true, true])
  })

  test('for the topology of all parties needs the right to read as any', () => {
    expect(mayReadUpdates(rights('abcd'), topology())).toBe(false)
    expect(mayReadUpdates(rights('*'), topology())).toBe(true)
  })

  test('that includes nothing needs none', () => {
    const nothing = {
      includeTransactions: undefined,
      includeReassignments: undefined,
      includeTopologyEvents: { includeParticipantAuthorizationEvents: undefined },
    }
    expect(mayReadUpdates(rights(''), nothing)).toBe(true)
  })
})
