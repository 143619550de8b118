import { countOutcomes, type SeedState } from '../core/scan/seed-outcome.ts'
import { seedAdvice, seedsApart } from '../doctor/seed-advice.ts'
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
  yield seedCounts(seeds)
}

/** Formats how many seeds had each outcome, and what to run: `13 seeds: dns 12, timed-out 1; run ...`. */
export function seedCounts(seeds: readonly Pick<SeedState, 'outcome'>[]): string {
  const counts = Object.entries(countOutcomes(seeds)).toSorted((a, b) => b[1] - a[1])
  const parts = counts.map(([outcome, count]) => `${outcome} ${count}`)
  return `${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'}: ${parts.join(', ')}; run \`bft-scan-proxy doctor\`, which says why`
}
