import { expect, test } from 'vitest'
import { playDifferential } from './differential.ts'
import { playStream } from './stream-differential.ts'

test('in 100,000 operations every mirrored answer is what a live quorum says or said at its time', () => {
  let mirrored = 0
  for (let seed = 100; seed < 150; seed++) mirrored += playDifferential(seed, 2_000).mirrored
  expect(mirrored).toBeGreaterThan(10_000)
})

test('in 100,000 operations every answer from the state of the ledger is what scans at its record time say', () => {
  let answered = 0
  for (let seed = 100; seed < 150; seed++) {
    const { live = 0, binding = 0, ...others } = playStream(seed, 2_000)
    answered += Object.values(others).reduce((sum, count) => sum + count, 0)
    expect(live + binding).toBeGreaterThan(0)
  }
  expect(answered).toBeGreaterThan(10_000)
})
