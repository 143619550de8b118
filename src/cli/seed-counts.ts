import type { SeedState } from '../scan/roster-poll.ts'

/** Formats how many seeds had each outcome: `13 seeds: dns 12, timed-out 1`. */
export function seedCounts(seeds: readonly Pick<SeedState, 'outcome'>[]): string {
  const counts = [...Map.groupBy(seeds, ({ outcome }) => outcome)].map(
    ([outcome, { length }]) => [outcome, length] as const,
  )
  const parts = counts.toSorted((a, b) => b[1] - a[1]).map(([outcome, count]) => `${outcome} ${count}`)
  return `${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'}: ${parts.join(', ')}`
}

export const doctorHint = 'run `bft-scan-proxy doctor`, which says why'
