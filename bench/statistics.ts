/** NaN of none. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/**
 * What an answer takes that is waited for at a moment drawn at random, in so large a share of all moments: who asks one
 * after the other asks less often while answers are slow, so each counts as long as it took. NaN of none.
 */
export function quantileOverTime(latencies: readonly number[], share: number): number {
  let left = latencies.reduce((sum, latency) => sum + latency, 0) * share
  for (const latency of [...latencies].sort((a, b) => a - b)) {
    left -= latency
    if (left <= 0) return latency
  }
  return Number.NaN
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
