import { test } from 'vitest'
import { playDay } from './day.ts'

const seeds = (process.env['SEEDS'] ?? '1').split(',').map(Number)
const level = (process.env['LEVEL'] ?? 'stream') as 'stream' | 'bindings'
test.each(seeds)(
  'seed %i',
  async (seed) => {
    const began = performance.now()
    const played = await playDay({
      seed,
      level,
      voters: Number(process.env['N'] ?? 4),
      hours: Number(process.env['HOURS'] ?? 12),
      kills: true,
    })
    console.log(played, performance.now() - began)
  },
  900_000,
)
