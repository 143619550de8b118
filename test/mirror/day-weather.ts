import type { Random } from '../../src/base/lib/random.ts'
import type { Fault, Faults } from '../../src/localnet/faults.ts'
import { pick, shuffled } from './random.ts'

export const longestHonestLagMs = 20_000

const minuteMs = 60_000

const falsehoods = [
  'late',
  'missing',
  'altered',
  'reordered',
  'dropped',
  'added',
  'half',
  'another-dso',
  'repeated',
  'endless',
  'flood',
  'another-instant',
  'stale',
] as const

const lies = [
  { kind: 'lie' },
  { kind: 'lie', alone: true },
  { kind: 'equivocate' },
  { kind: 'deny' },
  { kind: 'other-entry' },
  { kind: 'ignore-query' },
  { kind: 'uninitialised' },
  { kind: 'lag', by: 3_600_000 },
  { kind: 'skew', by: 600_000 },
  { kind: 'skew', by: -600_000 },
  { kind: 'late' },
  { kind: 'pruned' },
  { kind: 'truncate' },
  { kind: 'hang' },
  { kind: 'unknown-path' },
  { kind: 'error' },
] as const satisfies readonly Fault[]

const outages = [
  { kind: 'reset' },
  { kind: 'status' },
  { kind: 'rate-limit' },
  { kind: 'bad-gateway' },
] as const satisfies readonly Fault[]

function faultsOfLiar(random: Random, names: readonly string[]): Faults {
  const snapshot: Fault = {
    kind: 'snapshot',
    how: pick(random, falsehoods),
    alone: random() < 0.3,
    field: pick(random, ['user', 'url', 'description', 'expiresAt', 'name']),
    ...(random() < 0.5 && { name: pick(random, names) }),
  }
  const chance = random()
  if (chance < 0.45) return snapshot
  const lie = pick<Fault>(random, lies)
  return chance < 0.75 ? lie : [snapshot, lie]
}

function faultsOfHonest(random: Random): Faults | undefined {
  const chance = random()
  if (chance < 0.6) return undefined
  if (chance < 0.7) return { kind: 'snapshot', how: 'late', by: Math.floor(random() * 20 * minuteMs) }
  if (chance < 0.78) return { kind: 'snapshot', how: 'reordered' }
  if (chance < 0.84) return { kind: 'snapshot', how: 'missing' }
  if (chance < 0.92) return { kind: 'lag', by: Math.floor(random() * longestHonestLagMs) }
  if (chance < 0.94) return { kind: 'delay', ms: 300 }
  return pick<Fault>(random, outages)
}

/**
 * Returns the faults of all super validators for some minutes. At most `liars` of them lie: all in the same way, or
 * each in a random way.
 */
export function weather(
  random: Random,
  voters: readonly string[],
  { liars, names }: { readonly liars: number; readonly names: readonly string[] },
): ReadonlyMap<string, Faults | undefined> {
  if (random() < 0.06) {
    const outage = pick<Fault>(random, outages)
    return new Map(voters.map((voter) => [voter, outage]))
  }
  const count = Math.floor(random() * (liars + 1))
  const together = random() < 0.5 ? faultsOfLiar(random, names) : undefined
  return new Map(
    shuffled(random, voters).map((voter, place) => [
      voter,
      place < count ? (together ?? faultsOfLiar(random, names)) : faultsOfHonest(random),
    ]),
  )
}
