import { expect, test } from 'vitest'
import { isLong } from '../support/seed.ts'
import { playStream } from './differential.ts'

const seeds = Array.from({ length: isLong ? 50 : 3 }, (_, seed) => seed + 1)

test('every answer from the state of the ledger is what scans at the same record time say', () => {
  for (const seed of seeds) {
    const played = playStream(seed, 3_000)
    for (const kind of ['lookupAnsEntryByName 200', 'lookupAnsEntryByName 404', 'lookupAnsEntryByParty 200'])
      expect(played[kind], `seed ${seed}`).toBeGreaterThan(50)
    for (const kind of ['lookupAnsEntryByParty 404', 'listAnsEntries 200', 'live', 'binding'])
      expect(played[kind], `seed ${seed}`).toBeGreaterThan(5)
    expect(played['reconciled equal']).toBeGreaterThan(0)
    expect(played['reconciled skipped']).toBeGreaterThan(0)
  }
})
