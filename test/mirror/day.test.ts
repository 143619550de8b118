import { expect, test } from 'vitest'
import { playDay } from './day.ts'

test('in hours of random faults and wrong clocks every name that is mirrored is true as of its time, and none goes back', async () => {
  const played = await playDay({ seed: 6, level: 'bindings', voters: 4, hours: 2.5, kills: false })
  expect(played['binding snapshot lookupAnsEntryByName 200']).toBeGreaterThan(50)
  for (const what of ['restarts', 'clock set back']) expect(played[what], what).toBeGreaterThan(0)
}, 60_000)

test("in hours of random faults and wrong clocks every state that is mirrored is the ledger's, and so is what its changes come to", async () => {
  const played = await playDay({ seed: 7, level: 'stream', voters: 4, hours: 2.5, kills: false })
  for (const kind of ['lookupAnsEntryByName 200', 'lookupAnsEntryByName 404', 'listAnsEntries 200'])
    expect(played[`state stream ${kind}`], kind).toBeGreaterThan(20)
  expect(played['feed equal']).toBeGreaterThan(2)
}, 60_000)
