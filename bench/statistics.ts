/**
 * Returns the median. If the list has an even length, this is the larger of the two numbers in the middle. NaN for an
 * empty list.
 */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/**
 * Returns a quantile: the smallest number that at least this share of all numbers does not exceed. NaN for an empty
 * list.
 */
export function quantile(numbers: readonly number[], share: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? Number.NaN
}

/** The results of the two compared sides in the same round. */
export interface Round<A, B> {
  readonly a: A
  readonly b: B
}

/**
 * Runs both functions in every round. They take turns at running first, so that slow changes of the machine affect both
 * equally.
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
 * The maximum number of milliseconds for which one side runs while the other is idle. After a longer time, an idle
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
