import { seededRandom } from '../src/lib/random.ts'

/** How far away the super validators of a real network are, in milliseconds to their answer. */
export const distancesMs: readonly number[] = [15, 25, 40, 60, 80, 90, 100, 120, 140, 160, 180, 220, 280]

/** Each time is longer by an exponential of this mean, in parts of it. */
const jitter = 0.1
/** So large a share of the answers takes `stallMs` more. */
const stalls = 0.01
const stallMs = 1000
const seed = 11

/** A localnet's fault that answers from so far away. */
export function fromAway(ms: number): object {
  return { kind: 'delay', ms, jitter, stalls, stallMs }
}

/**
 * For so many lookups, how long the last of the `enough` fastest answers takes where everybody is asked: no lookup of
 * nodes at these distances can be faster, whoever it asks.
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
