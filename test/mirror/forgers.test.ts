import { expect, test } from 'vitest'
import { isLong } from '../support/seed.ts'
import { drainAmongForgers } from './forging.ts'

const runs = Number(process.env['FORGED_LEDGERS'] ?? (isLong ? 100_000 : 150))

test.each([4, 13])(
  'up to f of %i super validators that forge a snapshot make the daemon take the true set or none',
  async (n) => {
    let taken = 0
    for (let seed = 0; seed < runs; seed++) if (await drainAmongForgers(n, seed)) taken++
    expect(taken).toBeGreaterThan(runs / 2)
  },
  60_000 + 500 * runs,
)
