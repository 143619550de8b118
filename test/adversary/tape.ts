import fc from 'fast-check'
import { seed } from '../support/seed.ts'

/**
 * A list of decisions, read one after the other. Every generator takes its decisions from a tape, so a shorter tape
 * stands for a simpler attack. After its end, a tape chooses the first option, which is the honest one.
 */
export class Tape {
  readonly #choices: ArrayLike<number>
  #at = 0

  constructor(choices: ArrayLike<number>) {
    this.#choices = choices
  }

  below(limit: number): number {
    return (this.#choices[this.#at++] ?? 0) % limit
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /** Returns true in one of `inSoMany` calls on average, and always false after the end of the tape. */
  once(inSoMany: number): boolean {
    return this.below(inSoMany) === inSoMany - 1
  }

  shuffled<T>(list: readonly T[]): T[] {
    const order = [...list]
    for (let left = order.length; left > 1; left--) {
      const from = left - 1 - this.below(left)
      const [taken] = order.splice(from, 1) as [T]
      order.push(taken)
    }
    return order
  }
}

const largest = 0xff_ffff

/**
 * Generates tapes of at most this length, with evenly distributed choices. After a failure, fast-check shrinks the
 * choices towards 0.
 */
export function tapes(length: number): fc.Arbitrary<readonly number[]> {
  return fc.noBias(fc.array(fc.nat({ max: largest }), { minLength: 0, maxLength: length, size: 'max' }))
}

export interface Runs {
  readonly numRuns: number
  readonly seed: number
  readonly path?: string
  readonly endOnFailure: boolean
}

/**
 * A failure prints its seed and path. `SEED` and `ADVERSARY_PATH` repeat the failure. Only then is it shrunk, which can
 * take hours.
 * @param variable the environment variable that overrides the number of cases, `standard`.
 */
export function runsOf(standard: number, variable: string): Runs {
  const { env } = process
  const path = env['ADVERSARY_PATH']
  return {
    numRuns: Number(env[variable] ?? standard),
    seed,
    endOnFailure: path === undefined,
    ...(path === undefined ? {} : { path }),
  }
}
