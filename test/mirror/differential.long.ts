import { expect, test } from 'vitest'
import { playDifferential } from './differential.ts'

test('in 100,000 operations every mirrored answer is what a live quorum says or said at its time', () => {
  let mirrored = 0
  for (let seed = 100; seed < 150; seed++) mirrored += playDifferential(seed, 2_000).mirrored
  expect(mirrored).toBeGreaterThan(10_000)
})
