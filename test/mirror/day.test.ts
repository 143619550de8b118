import { expect, test } from 'vitest'
import { isLong, seed } from '../support/seed.ts'
import { type DayOptions, playDay } from './day.ts'

const short = { voters: 4, hours: 2.5 }
const long = { seed, hours: 24 }
const days: readonly DayOptions[] = isLong
  ? [4, 13].flatMap((voters) => [
      { ...long, level: 'bindings', voters },
      { ...long, level: 'stream', voters },
    ])
  : [
      { ...short, seed: 6, level: 'bindings' },
      { ...short, seed: 7, level: 'stream' },
    ]
const totals = new Map<string, number>()

test.for(days)(
  'in $hours hours of random faults and wrong clocks every answer of level $level is true as of its time, and none goes back, with $voters super validators',
  { timeout: isLong ? 1_200_000 : 60_000 },
  async (options, { annotate }) => {
    const played = await playDay(options)
    await annotate(JSON.stringify({ seed, ...played }))
    for (const [what, count] of Object.entries(played)) totals.set(what, (totals.get(what) ?? 0) + count)
  },
)

test.for<readonly [what: string, inHours: number, inDays: number]>([
  ['binding snapshot lookupAnsEntryByName 200', 50, 800],
  ['state stream lookupAnsEntryByName 200', 20, 40],
  ['state stream lookupAnsEntryByName 404', 20, 40],
  ['state stream listAnsEntries 200', 20, 40],
  ['restarts', 0, 0],
  ['clock set back', 0, 0],
])('these times together have %s more often than %i times, or %i times in days', ([what, few, many]) => {
  expect(totals.get(what)).toBeGreaterThan(isLong ? many : few)
})

const onlyInDays = ['rosters', 'withdrawn', 'sleeps', 'clock set ahead', 'clock drifts', 'mirror behind']

test.for(isLong ? onlyInDays : [])('these days together have this: %s', (what) => {
  expect(totals.get(what)).toBeGreaterThan(0)
})
