import type { Clock } from '../lib/clock.ts'
import { placeOf } from './origin.ts'
import type { RosterVoter } from './roster.ts'
import type { PollResult } from './roster-poll-result.ts'

export interface SeedState {
  readonly url: string
  readonly outcome: PollResult['outcome'] | 'not-asked-yet'
  readonly detail: string
  readonly at: string | null
}

export class SeedResults {
  readonly #clock: Pick<Clock, 'wall'>
  readonly #results = new Map<string, PollResult & { readonly at: string }>()

  constructor(clock: Pick<Clock, 'wall'>) {
    this.#clock = clock
  }

  said({ names, place }: RosterVoter, result: PollResult): void {
    const at = new Date(this.#clock.wall()).toISOString()
    this.#results.set(place?.origin ?? (names[0] as string), { ...result, at })
  }

  of(urls: readonly string[]): readonly SeedState[] {
    return urls.map((url) => {
      const result = this.#results.get(keyOf(url))
      return { url, ...(result ?? { outcome: 'not-asked-yet', detail: '', at: null }) }
    })
  }

  keep(urls: readonly string[]): void {
    const kept = new Set(urls.map(keyOf))
    for (const key of this.#results.keys()) if (!kept.has(key)) this.#results.delete(key)
  }
}

function keyOf(url: string): string {
  return placeOf(url)?.origin ?? url
}
