import { expect, test } from 'vitest'
import { drainAmongForgers } from './forging.ts'

const runs = Number(process.env['FORGED_LEDGERS'] ?? 100_000)

test.each([4, 13])(
  'up to f of %i super validators that forge a snapshot never make the daemon take a false set',
  async (n) => {
    let taken = 0
    for (let seed = 1_000_000; seed < 1_000_000 + runs; seed++) if (await drainAmongForgers(n, seed)) taken++
    expect(taken).toBeGreaterThan(runs / 2)
  },
  1_800_000,
)
