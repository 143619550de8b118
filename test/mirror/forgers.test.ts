import { expect, test } from 'vitest'
import { drainAmongForgers } from './forging.ts'

test.each([4, 13])(
  'up to f of %i super validators that forge a snapshot make the daemon take the true set or none',
  async (n) => {
    let taken = 0
    for (let seed = 0; seed < 150; seed++) if (await drainAmongForgers(n, seed)) taken++
    expect(taken).toBeGreaterThan(75)
  },
  60_000,
)
