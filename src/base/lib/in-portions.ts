/** A portion takes this many milliseconds, and the rest of its last job. */
const portionMs = 0.1

/**
 * Runs jobs in order, a portion of them in each turn of the event loop, so that incoming requests
 * need not wait for all jobs.
 */
export class InPortions {
  #jobs: (() => void)[] = []
  #isDue = false
  #until = 0

  /** Jobs must not throw. If no jobs wait, the first one runs before this method returns. */
  add(jobs: readonly (() => void)[]): void {
    for (const job of jobs) this.#jobs.push(job)
    if (!this.#isDue) this.#begin()
  }

  finish(): void {
    for (const job of this.#jobs.splice(0)) job()
  }

  readonly #begin = () => {
    this.#isDue = true
    this.#until = performance.now() + portionMs
    this.#doOne()
  }

  readonly #doOne = () => {
    this.#jobs.shift()?.()
    // The next job must run after all pending microtasks. A `nextTick` from a microtask waits until
    // none is left. A job that is added meanwhile belongs to this portion, too.
    queueMicrotask(() => process.nextTick(this.#continue))
  }

  readonly #continue = () => {
    if (this.#jobs.length === 0) this.#isDue = false
    else if (performance.now() >= this.#until) setImmediate(this.#begin)
    else this.#doOne()
  }
}

/** The time that a portion of `partedWork` takes, and the rest of its last step. */
const workMs = 2

/**
 * Does the work between two `yield`s of a generator without a pause, and lets the event loop run
 * after every few milliseconds.
 */
export async function partedWork<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + workMs
    do {
      const step = steps.next()
      if (step.done === true) return step.value
    } while (performance.now() < until)
    await new Promise(setImmediate)
  }
}

/** Does the work of a generator at once. */
export function wholeWork<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Sorts by `<` of keys, in steps. The time of one step grows with the number of items, but little. */
export function* sortedBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Generator<void, readonly Item[]> {
  type Keyed = { readonly item: Item; readonly key: string }
  const runs: Keyed[][] = []
  for (let from = 0; from < items.length; from += sortedAtOnce) {
    const run = items.slice(from, from + sortedAtOnce).map((item) => ({ item, key: keyOf(item) }))
    runs.push(run.sort((a, b) => (a.key < b.key ? -1 : 1)))
    yield
  }
  while (runs.length > 1) {
    const [one = [], other = []] = runs.splice(0, 2)
    runs.push(yield* merged(one, other))
  }
  return (runs[0] ?? []).map(({ item }) => item)
}

const sortedAtOnce = 500

function* merged<Keyed extends { readonly key: string }>(
  one: readonly Keyed[],
  other: readonly Keyed[],
): Generator<void, Keyed[]> {
  const both: Keyed[] = []
  for (let at = 0, place = 0; at < one.length || place < other.length; ) {
    const [a, b] = [one[at], other[place]]
    if (b === undefined || (a !== undefined && a.key <= b.key)) both.push(one[at++] as Keyed)
    else both.push(other[place++] as Keyed)
    if (both.length % sortedAtOnce === 0) yield
  }
  return both
}
