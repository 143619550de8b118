import { expect, test } from 'vitest'
import { deadlineMs, mostFailed, runSmallHeap } from './small-heap.ts'

const lookups = Number(process.env['ADVERSARY_LOOKUPS'] ?? 1_000)
const names = Number(process.env['ADVERSARY_NAMES'] ?? 40_000)

test.for(['economical', 'all'] as const)(
  'a daemon with a heap of 256 MiB that asks by the way %s answers lookups right and in time while four of thirteen super validators send the costliest pages, heads, rosters and bodies',
  { timeout: 1_800_000 },
  async (fanout, { annotate }) => {
    const { says, slowestMs, longestBlockMs, setSeconds, peakMiB, budgetMiB, failed } = await runSmallHeap({
      fanout,
      names,
      lookups,
    })
    await annotate(says)
    expect(slowestMs).toBeLessThan(deadlineMs)
    for (const [id, share] of failed) expect(share, `failed of ${id}`).toBeLessThanOrEqual(mostFailed)
    expect(peakMiB).toBeLessThan(budgetMiB)
    expect(setSeconds).toBeLessThan(60)
    expect(longestBlockMs).toBeLessThan(50)
  },
)
