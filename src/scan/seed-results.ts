import type { Clock } from '../lib/clock.ts'
import { placeOf } from './origin.ts'
import type { RosterVoter } from './roster.ts'
import type { PollResult } from './roster-poll-result.ts'

/** A seed, with its result when the daemon last asked it for the roster. */
export interface SeedState {
  readonly url: string
  readonly outcome: PollResult['outcome'] | 'not-asked-yet'
  readonly detail: string
  /** The time at which the seed was last asked, in ISO 8601. Null if it was not asked yet. */
  readonly at: string | null
}

/** Records the last result of each seed that the daemon asked for the roster. */
export class SeedResults {
  readonly #clock: Pick<Clock, 'wall'>
  readonly #results = new Map<string, PollResult & { readonly at: string }>()

  constructor(clock: Pick<Clock, 'wall'>) {
    this.#clock = clock
  }

  /** @param voter one seed, or several seeds that share an origin. */
  said({ names, place }: RosterVoter, result: PollResult): void {
    const at = new Date(this.#clock.wall()).toISOString()
    this.#results.set(place?.origin ?? (names[0] as string), { ...result, at })
  }

  /** Returns the states of the seeds with these URLs, in the order of `urls`. */
  of(urls: readonly string[]): readonly SeedState[] {
    return urls.map((url) => {
      const result = this.#results.get(keyOf(url))
      return { url, ...(result ?? { outcome: 'not-asked-yet', detail: '', at: null }) }
    })
  }

  /** Deletes the results of all seeds that are not among `urls`. */
  keep(urls: readonly string[]): void {
    const kept = new Set(urls.map(keyOf))
    for (const key of this.#results.keys()) if (!kept.has(key)) this.#results.delete(key)
  }
}

function keyOf(url: string): string {
  return placeOf(url)?.origin ?? url
}
