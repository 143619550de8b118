import type { Clock } from '../lib/clock.ts'
import { placeOf } from './origin.ts'
import type { PollResult } from './poll-result.ts'
import type { RosterVoter } from './roster.ts'

/** A seed, and what it said when it was last asked for the roster. */
export interface SeedState {
  readonly url: string
  readonly outcome: PollResult['outcome'] | 'not-asked-yet'
  readonly detail: string
  /** ISO 8601. Null if it was not asked yet. */
  readonly at: string | null
}

/** Remembers what each seed said last. */
export class SeedResults {
  readonly #clock: Pick<Clock, 'wall'>
  readonly #results = new Map<string, PollResult & { readonly at: string }>()

  constructor(clock: Pick<Clock, 'wall'>) {
    this.#clock = clock
  }

  /** @param voter one seed, or several that share an origin. */
  said({ names, place }: RosterVoter, result: PollResult): void {
    const at = new Date(this.#clock.wall()).toISOString()
    this.#results.set(place?.origin ?? (names[0] as string), { ...result, at })
  }

  /** Returns the state of each of these seeds, in their order. */
  of(urls: readonly string[]): readonly SeedState[] {
    return urls.map((url) => {
      const result = this.#results.get(keyOf(url))
      return { url, ...(result ?? { outcome: 'not-asked-yet', detail: '', at: null }) }
    })
  }

  /** Forgets all seeds but these. */
  keep(urls: readonly string[]): void {
    const kept = new Set(urls.map(keyOf))
    for (const key of this.#results.keys()) if (!kept.has(key)) this.#results.delete(key)
  }
}

function keyOf(url: string): string {
  return placeOf(url)?.origin ?? url
}
