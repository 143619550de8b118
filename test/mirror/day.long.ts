import { expect, test } from 'vitest'
import { seed } from '../support/seed.ts'
import { type DayOptions, playDay } from './day.ts'

test.for<Pick<DayOptions, 'level' | 'voters'>>([
  { level: 'bindings', voters: 4 },
  { level: 'stream', voters: 4 },
  { level: 'bindings', voters: 13 },
  { level: 'stream', voters: 13 },
])(
  'in 24 hours of random faults every answer of level $level is true as of its time, with $voters super validators',
  { timeout: 1_200_000 },
  async ({ level, voters }, { annotate }) => {
    const played = await playDay({ seed, level, voters, hours: 24, kills: true })
    await annotate(JSON.stringify({ seed, ...played }))
    expect(played['binding snapshot lookupAnsEntryByName 200']).toBeGreaterThan(200)
    for (const happened of [
      'restarts',
      'kills',
      'rosters',
      'withdrawn',
      'clock set back',
      'clock set ahead',
      'sleeps',
    ])
      expect(played[happened], happened).toBeGreaterThan(0)
    if (level === 'bindings') return
    for (const kind of ['state stream lookupAnsEntryByName 404', 'state stream listAnsEntries 200'])
      expect(played[kind], kind).toBeGreaterThan(20)
    expect(played['feed equal']).toBeGreaterThan(10)
  },
)
