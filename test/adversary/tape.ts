import fc from 'fast-check'

/**
 * Decisions, read one after the other. Every generator takes its decisions from a tape, so that one tape stands for one
 * whole attack, and a shorter or smaller tape for a simpler one. A tape that has ended decides for the first, honest choice.
 */
export class Tape {
  readonly #choices: ArrayLike<number>
  #at = 0

  constructor(choices: ArrayLike<number>) {
    this.#choices = choices
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return (this.#choices[this.#at++] ?? 0) % limit
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /** True once in so many times; never at the end of the tape. */
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

/** Tapes of this length. Their choices are evenly distributed, and shrink towards 0. */
export function tapes(length: number): fc.Arbitrary<readonly number[]> {
  return fc.noBias(fc.array(fc.nat({ max: largest }), { minLength: 0, maxLength: length, size: 'max' }))
}

export interface Runs {
  readonly numRuns: number
  readonly seed: number
  readonly path?: string
}

/**
 * The settings of a run: `ADVERSARY_SEED` and `ADVERSARY_PATH`, as a failure prints them, and how many cases.
 * @param variable the environment variable that says how many, in place of `standard`.
 */
export function runsOf(standard: number, variable: string): Runs {
  const { env } = process
  const path = env['ADVERSARY_PATH']
  return {
    numRuns: Number(env[variable] ?? standard),
    seed: Number(env['ADVERSARY_SEED'] ?? Math.floor(Math.random() * 0x7fff_ffff)),
    ...(path === undefined ? {} : { path }),
  }
}
