import fc from 'fast-check'

/**
 * Decisions that are read one after the other. Every generator takes its decisions from a tape. One tape thus
 * stands for a whole attack, and a shorter tape for a simpler one. After its end, a tape always chooses the
 * first, honest option.
 */
export class Tape {
  readonly #choices: ArrayLike<number>
  #at = 0

  constructor(choices: ArrayLike<number>) {
    this.#choices = choices
  }

  /** Returns an integer from 0 up to but not including `limit`. */
  below(limit: number): number {
    return (this.#choices[this.#at++] ?? 0) % limit
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /** Returns true once in this many times on average; never after the end of the tape. */
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

/** Generates tapes of at most this length. Their choices are evenly distributed, and shrink towards 0. */
export function tapes(length: number): fc.Arbitrary<readonly number[]> {
  return fc.noBias(fc.array(fc.nat({ max: largest }), { minLength: 0, maxLength: length, size: 'max' }))
}

export interface Runs {
  readonly numRuns: number
  readonly seed: number
  readonly path?: string
}

/**
 * Returns the settings of a run: seed and path from `ADVERSARY_SEED` and `ADVERSARY_PATH`, as a failure shows
 * them, and the number of cases.
 * @param variable the environment variable that overrides `standard`.
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
