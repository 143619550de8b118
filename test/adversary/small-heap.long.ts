import { expect, test } from 'vitest'
import { isLong } from '../support/seed.ts'
import { deadlineMs, mostFailed, runSmallHeap } from './small-heap.ts'

const { ADVERSARY_LOOKUPS = '1000', ADVERSARY_NAMES = '40000' } = process.env
const size = isLong
  ? { names: Number(ADVERSARY_NAMES), lookups: Number(ADVERSARY_LOOKUPS) }
  : { names: 1_500, lookups: 40 }

test.for(isLong ? (['economical', 'all'] as const) : (['economical'] as const))(
  'a daemon with a heap of 256 MiB that asks by the way %s answers lookups right and in time while four of thirteen super validators send the costliest pages, heads, rosters and bodies',
  {
    timeout: isLong ? 1_800_000 : 120_000,
    // Other programs on the machine make blocks longer, never shorter.
    retry: isLong ? 0 : 2,
  },
  async (fanout, { annotate }) => {
    const run = await runSmallHeap({ fanout, ...size })
    await annotate(run.says)
    expect(run.slowestMs).toBeLessThan(deadlineMs)
    expect(run.peakMiB).toBeLessThan(run.budgetMiB)
    expect(run.setSeconds).toBeLessThan(60)
    expect(run.longestBlockMs).toBeLessThan(50)
    // Among few reads, one that fails is a large share.
    if (isLong)
      for (const [id, share] of run.failed) expect(share, `failed of ${id}`).toBeLessThanOrEqual(mostFailed)
  },
)
