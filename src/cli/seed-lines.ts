import type { SeedState } from '../scan/roster-poll.ts'
import { seedAdvice, seedsApart } from '../scan/seed-advice.ts'
import { doctorHint, seedCounts } from './seed-counts.ts'
import { columns } from './table.ts'

export function* seedLines(seeds: readonly SeedState[], width: number | undefined): Iterable<string> {
  const apart = seedsApart(seeds)
  const rows = seeds.map((seed) => {
    const differs = apart.includes(seed) ? ': another list than most seeds name' : ''
    return [URL.parse(seed.url)?.host ?? seed.url, seed.outcome, `${seed.detail}${differs}`]
  })
  yield* columns([['seed', 'said', 'detail'], ...rows], width)
  yield ''
  yield `What to do: ${seedAdvice(seeds)}`
  yield `${seedCounts(seeds)}; ${doctorHint}`
}
