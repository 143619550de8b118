import { describe, expect, test } from 'vitest'
import { askedContracts, askedUpdates, type OlderForm } from '../../../src/ledger/visibility/older-form.ts'
import { mayReadUpdates } from '../../../src/ledger/visibility/rights.ts'
import { events, ofTemplate, rights, updates } from './ledger.ts'

const none: OlderForm = { filter: undefined, verbose: false }

function standsFor(filter: ReturnType<typeof events>, verbose = false) {
  const { filtersByParty, filtersForAnyParty } = filter
  const asked = askedUpdates(undefined, { filter: { filtersByParty, filtersForAnyParty }, verbose })
  if (asked.kind !== 'format') throw new Error(asked.kind)
  return asked.format
}

describe('filter and verbose stand for an update format', () => {
  const filter = events({ a: [ofTemplate('#alpha:Main:House')], b: [] })

  test('of transactions in the shape ACS_DELTA, reassignments, and the parties that the filter names', () => {
    for (const verbose of [false, true]) {
      const eventFormat = { ...filter, verbose }
      expect(standsFor(filter, verbose)).toEqual({
        includeTransactions: { eventFormat, transactionShape: 'ACS_DELTA' },
        includeReassignments: eventFormat,
        includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: ['a', 'b'] } },
      })
    }
  })

  test('of all parties where the filter is for any', () => {
    const everyParty = { includeParticipantAuthorizationEvents: { parties: [] } }
    expect(standsFor(events({ '*': [] })).includeTopologyEvents).toEqual(everyParty)
    expect(standsFor(events({ a: [], '*': [] })).includeTopologyEvents).toEqual(everyParty)
  })

  test('of no party, and not of all, where the filter names none', () => {
    expect(standsFor(events({})).includeTopologyEvents).toBeUndefined()
  })

  test('that asks for no more rights than the filter does', () => {
    for (const asked of [events({}), events({ a: [] }), events({ '*': [] }), events({ a: [], '*': [] })])
      for (const reader of ['', 'a', 'b', '*'])
        expect(mayReadUpdates(rights(reader), standsFor(asked))).toBe(
          mayReadUpdates(rights(reader), updates(asked, 'ACS_DELTA')),
        )
  })
})

describe('a request', () => {
  const format = updates(events({ a: [] }), 'LEDGER_EFFECTS')
  const older: OlderForm = { filter: events({ a: [] }), verbose: false }

  test('with an update format asks for just that', () => {
    expect(askedUpdates(format, none)).toEqual({ kind: 'format', format })
  })

  test('cannot have both forms, nor verbose beside a format, nor neither form', () => {
    expect(askedUpdates(format, older)).toEqual({ kind: 'both-forms' })
    expect(askedUpdates(format, { ...older, verbose: true })).toEqual({ kind: 'both-forms' })
    expect(askedUpdates(format, { ...none, verbose: true })).toEqual({ kind: 'verbose-beside-format' })
    expect(askedUpdates(undefined, none)).toEqual({ kind: 'no-form' })
    expect(askedUpdates(undefined, { ...none, verbose: true })).toEqual({ kind: 'no-form' })
  })

  test('for active contracts follows the same rules', () => {
    const events1 = events({ a: [] })
    expect(askedContracts(events1, none)).toEqual({ kind: 'format', format: events1 })
    expect(askedContracts(undefined, { ...older, verbose: true })).toEqual({
      kind: 'format',
      format: { ...events1, verbose: true },
    })
    expect(askedContracts(events1, older)).toEqual({ kind: 'both-forms' })
    expect(askedContracts(events1, { ...none, verbose: true })).toEqual({ kind: 'verbose-beside-format' })
    expect(askedContracts(undefined, none)).toEqual({ kind: 'no-form' })
  })
})
