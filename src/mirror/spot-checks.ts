import type { Answer } from '../cache/answer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import type { Question } from '../reads/read.ts'
import { compareEntries } from './continuity.ts'
import type { Mirror } from './mirror.ts'
import { entryOfAnswer } from './name-state.ts'
import type { Binding } from './taken-set.ts'

/**
 * The result of comparing a mirrored entry with a live read, for which super validators are asked.
 * - `different`: the live read found no entry, or one that is neither the same nor a renewal.
 * - `unanswered`: the live read failed or found no agreement.
 */
export type SpotCheckOutcome = 'same' | 'renewed' | 'different' | 'unanswered'

export interface SpotCheckDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly mirror: Pick<Mirror, 'draw' | 'contradicted' | 'stop'>
  /**
   * Asks super validators, not the mirror or a cache. Resolves to undefined if they do not agree.
   */
  readonly liveAnswer: (question: Question, signal: AbortSignal) => Promise<Answer | undefined>
  readonly checked: (outcome: SpotCheckOutcome) => void
}

const hourMs = 3_600_000
const draws = 8

/**
 * Compares single mirrored entries with answers of super validators. Two differences within an hour
 * stop the mirror.
 */
export class SpotChecks {
  readonly #deps: SpotCheckDeps
  #differedAt = Number.NEGATIVE_INFINITY

  constructor(deps: SpotCheckDeps) {
    this.#deps = deps
  }

  async check(signal: AbortSignal): Promise<void> {
    const { checked } = this.#deps
    const drawn = this.#draw()
    if (drawn === undefined) return
    const drawnEntry = drawn.held.entry
    const answer = await this.#live(drawnEntry.name, signal)
    if (answer === undefined) return checked('unanswered')
    const entry = entryOfAnswer(answer)
    const change = entry === undefined ? 'other' : compareEntries(drawnEntry, entry)
    if (change === 'same' || change === 'renewed') return checked(change)
    checked('different')
    this.#differ(drawn, answer)
  }

  #draw(): Binding | undefined {
    const { mirror, random } = this.#deps
    for (let draw = 0; draw < draws; draw++) {
      const drawn = mirror.draw(random)
      if (drawn !== undefined) return drawn
    }
    return undefined
  }

  async #live(name: string, signal: AbortSignal): Promise<Answer | undefined> {
    try {
      return await this.#deps.liveAnswer({ read: lookupAnsEntryByName, params: { name } }, signal)
    } catch (error) {
      if (signal.aborted) throw error
      return undefined
    }
  }

  #differ(drawn: Binding, answer: Answer): void {
    const { clock, mirror } = this.#deps
    const by = { entry: entryOfAnswer(answer), agreement: answer.agreement }
    mirror.contradicted(drawn, by, 'a spot check contradicts the mirror')
    const now = clock.now()
    if (now - this.#differedAt < hourMs) mirror.stop({ kind: 'spot-checks' })
    this.#differedAt = now
  }
}
