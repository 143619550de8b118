/** Returns the median; NaN if there are no numbers. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/**
 * Returns the smallest of the numbers that this share of all does not exceed. NaN if there are no numbers.
 */
export function quantile(numbers: readonly number[], share: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? Number.NaN
}

/** The results of two compared parties in the same round. */
export interface Round<A, B> {
  readonly a: A
  readonly b: B
}

/**
 * Runs both functions in every round. They take turns at being the first, so that slow changes of the machine
 * affect both equally.
 */
export async function alternate<A, B>(
  rounds: number,
  a: () => Promise<A>,
  b: () => Promise<B>,
): Promise<readonly Round<A, B>[]> {
  const results: Round<A, B>[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const first = await a()
      results.push({ a: first, b: await b() })
    } else {
      const first = await b()
      results.push({ a: await a(), b: first })
    }
  }
  return results
}

/**
 * The most milliseconds for which one party runs while the other is idle. After a longer time, an idle
 * connection could be closed.
 */
const sliceMs = 2000

/** Runs both functions in turns, each for `ms` milliseconds in total. */
export async function warmUp(
  ms: number,
  a: (ms: number) => Promise<unknown>,
  b: (ms: number) => Promise<unknown>,
): Promise<void> {
  for (let left = ms; left > 0; left -= sliceMs) {
    await a(Math.min(left, sliceMs))
    await b(Math.min(left, sliceMs))
  }
}
