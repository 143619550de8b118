import { seededRandom } from '../src/base/lib/random.ts'

/** The distances of thirteen super validators, as on a real network: the milliseconds after which each one answers. */
export const distancesMs: readonly number[] = [15, 25, 40, 60, 80, 90, 100, 120, 140, 160, 180, 220, 280]

/**
 * An answer takes longer than its distance by a random time with an exponential distribution. The mean of this time is
 * the distance multiplied by `jitter`.
 */
const jitter = 0.1
/** The share of answers that stall. Each of these answers takes `stallMs` milliseconds longer. */
const stalls = 0.01
const stallMs = 1000
const seed = 11

/** Returns a fault that makes a node of the localnet answer as if it were this far away. */
export function fromAway(ms: number): object {
  return { kind: 'delay', ms, jitter, stalls, stallMs }
}

/**
 * Simulates lookups that ask every node at once. Returns how long each of them takes until `enough` nodes have
 * answered, in milliseconds. No real lookup can be faster on average if the nodes are at these distances.
 */
export function bestPossible(
  distances: readonly number[],
  enough: number,
  lookups: number,
): readonly number[] {
  const random = seededRandom(seed)
  const draw = (ms: number) => ms * (1 - jitter * Math.log(1 - random())) + (random() < stalls ? stallMs : 0)
  return Array.from(
    { length: lookups },
    () => distances.map(draw).sort((a, b) => a - b)[enough - 1] ?? Number.NaN,
  )
}
