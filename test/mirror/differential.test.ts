import { expect, test } from 'vitest'
import { playDifferential } from './differential.ts'
import { playStream } from './stream-differential.ts'

test.each([1, 2, 3])(
  'every mirrored answer is what a live quorum says or said at its time (seed %i)',
  (seed) => {
    const { mirrored, renewed, live } = playDifferential(seed, 600)
    expect(mirrored).toBeGreaterThan(50)
    expect(live).toBeGreaterThan(50)
    expect(renewed).toBeGreaterThan(0)
  },
)

test.each([1, 2, 3])(
  'every answer from the state of the ledger is what scans at the same record time say (seed %i)',
  (seed) => {
    const played = playStream(seed, 3_000)
    for (const kind of ['lookupAnsEntryByName 200', 'lookupAnsEntryByName 404', 'lookupAnsEntryByParty 200'])
      expect(played[kind]).toBeGreaterThan(50)
    for (const kind of ['lookupAnsEntryByParty 404', 'listAnsEntries 200', 'live', 'binding'])
      expect(played[kind]).toBeGreaterThan(5)
    expect(played['reconciled equal']).toBeGreaterThan(0)
    expect(played['reconciled skipped']).toBeGreaterThan(0)
  },
)
