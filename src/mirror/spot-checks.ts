import type { Answer } from '../core/cache/answer.ts'
import { lookupAnsEntryByName } from '../core/reads/ans.ts'
import { compareEntries } from './continuity.ts'
import type { Mirror } from './mirror.ts'
import type { UpkeepDeps } from './mirror-deps.ts'
import { entryOfAnswer } from './name-state.ts'
import type { Binding } from './taken-set.ts'

const hourMs = 3_600_000
const draws = 8

/**
 * Compares single mirrored entries with answers of super validators. Two differences within an hour
 * stop the mirror.
 */
export class SpotChecks {
  readonly #mirror: Mirror
  readonly #deps: UpkeepDeps
  #differedAt = Number.NEGATIVE_INFINITY

  constructor(mirror: Mirror, deps: UpkeepDeps) {
    this.#mirror = mirror
    this.#deps = deps
  }

  async check(signal: AbortSignal): Promise<void> {
    const { telemetry } = this.#deps
    const drawn = this.#draw()
    if (drawn === undefined) return
    const drawnEntry = drawn.held.entry
    const answer = await this.#live(drawnEntry.name, signal)
    if (answer === undefined) return telemetry.spotChecked('unanswered')
    const entry = entryOfAnswer(answer)
    const change = entry === undefined ? 'other' : compareEntries(drawnEntry, entry)
    if (change === 'same' || change === 'renewed') return telemetry.spotChecked(change)
    // The live read found no entry, or one that is neither the same nor a renewal.
    telemetry.spotChecked('different')
    this.#differ(drawn, answer)
  }

  #draw(): Binding | undefined {
    for (let draw = 0; draw < draws; draw++) {
      const drawn = this.#mirror.draw(this.#deps.random)
      if (drawn !== undefined) return drawn
    }
    return undefined
  }

  /** Asks super validators, not the mirror or a cache. Resolves to undefined if they do not agree. */
  async #live(name: string, signal: AbortSignal): Promise<Answer | undefined> {
    try {
      return await this.#deps.reader.liveAnswer({ read: lookupAnsEntryByName, params: { name } }, signal)
    } catch (error) {
      if (signal.aborted) throw error
      return undefined
    }
  }

  #differ(drawn: Binding, answer: Answer): void {
    const by = { entry: entryOfAnswer(answer), agreement: answer.agreement }
    this.#mirror.contradicted(drawn, by, 'a spot check contradicts the mirror')
    const now = this.#deps.clock.now()
    if (now - this.#differedAt < hourMs) this.#mirror.stop({ kind: 'spot-checks' })
    this.#differedAt = now
  }
}
