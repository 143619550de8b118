/** NaN of none. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/** The smallest number that so large a share of all does not exceed. NaN of none. */
export function quantile(numbers: readonly number[], share: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? Number.NaN
}

/** What two subjects gave in the same round. */
export interface Round<A, B> {
  readonly a: A
  readonly b: B
}

/** Runs both in every round, taking turns at being first, so that what drifts meets both alike. */
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

/** Longer than this nobody is left alone: an idle connection would be closed. */
const sliceMs = 2000

/** Lets both run for `ms` milliseconds in all, in turns. */
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
