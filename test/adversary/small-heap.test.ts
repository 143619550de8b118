import { expect, test } from 'vitest'
import { deadlineMs, runSmallHeap } from './small-heap.ts'

test('a daemon with a heap of 256 MiB looks names up, and takes a set of names, while four of thirteen super validators send the costliest pages and bodies', {
  timeout: 120_000,
  // Other programs on the machine make blocks longer, never shorter.
  retry: 2,
}, async ({ annotate }) => {
  const { says, slowestMs, longestBlockMs, setSeconds, peakMiB, budgetMiB } = await runSmallHeap({
    fanout: 'economical',
    names: 1_500,
    lookups: 40,
  })
  await annotate(says)
  expect(slowestMs).toBeLessThan(deadlineMs)
  expect(peakMiB).toBeLessThan(budgetMiB)
  expect(setSeconds).toBeLessThan(60)
  expect(longestBlockMs).toBeLessThan(50)
})
