import { seededRandom } from '../src/lib/random.ts'

/** The distances of the super validators of a real network: the milliseconds until each answers. */
export const distancesMs: readonly number[] = [15, 25, 40, 60, 80, 90, 100, 120, 140, 160, 180, 220, 280]

/**
 * Every answer takes longer by a random time with an exponential distribution. This is the mean of that time,
 * as a share of the distance.
 */
const jitter = 0.1
/** Answers that stall: this share of them takes `stallMs` milliseconds longer. */
const stalls = 0.01
const stallMs = 1000
const seed = 11

/** Returns the fault of a localnet that makes a node answer from this distance. */
export function fromAway(ms: number): object {
  return { kind: 'delay', ms, jitter, stalls, stallMs }
}

/**
 * Simulates lookups that ask every node at once, and returns how long each takes until `enough` nodes have
 * answered, in milliseconds. No real lookup of nodes at these distances can be faster, whichever nodes it
 * asks.
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
