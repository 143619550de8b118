import { expect, test } from 'vitest'
import { seed } from '../support/seed.ts'
import { type DayOptions, playDay } from './day.ts'

const totals = new Map<string, number>()

test.for<Pick<DayOptions, 'level' | 'voters'>>([
  { level: 'bindings', voters: 4 },
  { level: 'stream', voters: 4 },
  { level: 'bindings', voters: 13 },
  { level: 'stream', voters: 13 },
])(
  'in 24 hours of random faults and wrong clocks every answer of level $level is true as of its time, and none goes back, with $voters super validators',
  { timeout: 1_200_000 },
  async ({ level, voters }, { annotate }) => {
    const played = await playDay({ seed, level, voters, hours: 24, kills: true })
    await annotate(JSON.stringify({ seed, ...played }))
    for (const [what, count] of Object.entries(played)) totals.set(what, (totals.get(what) ?? 0) + count)
  },
)

test.for([
  ...['restarts', 'kills', 'rosters', 'withdrawn', 'sleeps'],
  ...['clock set back', 'clock set ahead', 'clock drifts', 'mirror behind'],
])('these days together have this: %s', (what) => {
  expect(totals.get(what)).toBeGreaterThan(0)
})

test.for([
  ['binding snapshot lookupAnsEntryByName 200', 800],
  ['state stream lookupAnsEntryByName 404', 40],
  ['state stream listAnsEntries 200', 40],
  ['feed equal', 20],
] as const)('these days together have %s more than %i times', ([what, most]) => {
  expect(totals.get(what)).toBeGreaterThan(most)
})
