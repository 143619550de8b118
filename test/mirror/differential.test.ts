import { expect, test } from 'vitest'
import { playDifferential } from './differential.ts'

test.each([1, 2, 3])(
  'every mirrored answer is what a live quorum says or said at its time (seed %i)',
  (seed) => {
    const { mirrored, renewed, live } = playDifferential(seed, 600)
    expect(mirrored).toBeGreaterThan(50)
    expect(live).toBeGreaterThan(50)
    expect(renewed).toBeGreaterThan(0)
  },
)
