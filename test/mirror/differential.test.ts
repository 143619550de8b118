import { expect, test } from 'vitest'
import { isLong } from '../support/seed.ts'
import { playStream } from './differential.ts'

const seeds = Array.from({ length: isLong ? 50 : 1 }, (_, seed) => seed + 1)

test.each(seeds)(
  'every answer from the state of the ledger is what scans at the same record time say, and a reader of the feed gets each change exactly once, across restarts and jumps (seed %i)',
  async (seed) => {
    const played = await playStream(seed, 6_000)
    for (const kind of ['lookupAnsEntryByName 200', 'lookupAnsEntryByName 404', 'lookupAnsEntryByParty 200'])
      expect(played[kind]).toBeGreaterThan(50)
    for (const kind of ['lookupAnsEntryByParty 404', 'listAnsEntries 200', 'live', 'binding'])
      expect(played[kind]).toBeGreaterThan(5)
    for (const kind of ['reconciled equal', 'reconciled skipped', 'restarts', 'jumps', 'read anew'])
      expect(played[kind]).toBeGreaterThan(0)
    expect(played['read on']).toBeGreaterThan(100)
  },
)
