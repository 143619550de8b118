import { expect } from 'vitest'
import type { Served } from '../../src/core/cache/answers.ts'
import type { AsOf } from '../../src/core/cache/as-of.ts'
import type { Question } from '../../src/core/reads/read.ts'
import { expiryOf } from '../../src/mirror/continuity.ts'
import { clockErrorMs } from '../../src/mirror/ledger-time.ts'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'
import type { NameBooks } from './day-books.ts'
import { longestHonestLagMs } from './day-weather.ts'
import { scanSays } from './differential.ts'
import { liveValue } from './mirrored.ts'

/** The state of the daemon when it answered. All times are milliseconds since 1970. */
export interface Asked {
  /** The true time. */
  readonly now: number
  /**
   * The latest time that the daemon's clock has shown since its start. An entry that had expired by then must not be
   * served.
   */
  readonly seen: number
  /**
   * By how much the mirror may misdate a live answer, because the daemon's clock was behind. Infinite if the clock was
   * wrong at the start of the daemon, or ahead since then: the date then means nothing.
   */
  readonly datingErrorMs: number
  readonly voters: readonly string[]
  readonly threshold: number
}

interface Heard {
  readonly question: Question
  readonly text: string
  readonly status: number
  readonly asOf: AsOf
  readonly asked: Asked
  readonly about: string
}

/**
 * The longest duration of a live read. The mirror dates a live answer at the end of the read, but the replies may be
 * older by this duration.
 */
const longestReadMs = 120_000

/**
 * By how much too early a live answer is dated while the daemon's clock is as far behind as the mirror tolerates, and
 * the time of the ledger that it knows is that of a super validator that lags.
 */
export const slowDatingMs = clockErrorMs + longestHonestLagMs

/** The option `mirror.maxLag` of the day's daemon, and the time in which it hears of an update. */
export const maxLagMs = 300_000
const longestLagMs = maxLagMs + 60_000 + longestHonestLagMs

/**
 * Compares every answer of a mirror with the true history of the names, as it was at the time that the answer states.
 */
export class DayAudit {
  readonly #level: 'bindings' | 'stream'
  readonly #books: NameBooks
  readonly #latest = new Map<string, number>()
  readonly compared = new Map<string, number>()

  constructor(level: 'bindings' | 'stream', books: NameBooks) {
    this.#level = level
    this.#books = books
  }

  check(question: Question, { answer, asOf }: Served, asked: Asked): void {
    if (asOf === undefined) throw new Error('an answer of the mirror states its time')
    const { agreed } = answer.agreement
    const text = answer.body.toString()
    const about = `${JSON.stringify({ ...question.params, ...asOf, ...asked, agreed })}: ${text}`
    expect(asked.voters, about).toEqual(expect.arrayContaining([...agreed]))
    expect(agreed.length, about).toBeGreaterThanOrEqual(asked.threshold)
    if (this.#level === 'bindings') expect([asOf.claim, answer.status], about).toEqual(['binding', 200])
    const heard = { question, text, status: answer.status, asOf, asked, about }
    this.#checkTime(heard)
    if (asOf.claim === 'state') this.#checkState(heard)
    else this.#checkBinding(heard)
    const kind = `${asOf.claim} ${asOf.basis} ${question.read.id} ${answer.status}`
    this.compared.set(kind, (this.compared.get(kind) ?? 0) + 1)
  }

  #checkTime({ asOf: { at, basis }, asked, about }: Heard): void {
    if (basis === 'live') return
    expect(at, about).toBeLessThanOrEqual(asked.now)
    expect(at, about).toBeGreaterThanOrEqual(this.#latest.get(basis) ?? 0)
    this.#latest.set(basis, at)
  }

  #checkBinding({ question, text, asOf, asked, about }: Heard): void {
    const { entry } = JSON.parse(text) as { entry: MirroredEntry }
    expect(entry.name, about).toBe(question.params['name'])
    expect(expiryOf(entry), about).toBeGreaterThan(asked.seen)
    expect(text, about).toBe(liveValue(entry).body.toString())
    if (asOf.basis === 'snapshot') expect(this.#books.before(asOf.at), about).toContainEqual(entry)
    else {
      const from = asOf.at - longestHonestLagMs - longestReadMs - asked.datingErrorMs
      expect(this.#books.had(entry, from, asOf.at + asked.datingErrorMs), about).toBe(true)
    }
  }

  /**
   * If the daemon's clock is behind, an entry that expires between the time of that clock and the true time may be
   * missing or present.
   */
  #checkState({ question, text, status, asOf, asked, about }: Heard): void {
    const { seen, now } = asked
    const missed = this.#books.times.filter((at) => asOf.at < at && at < now - longestLagMs)
    expect(missed, about).toEqual([])
    const entries = this.#books.before(asOf.at + 1)
    const ends = entries.map((entry) => expiryOf(entry) + 1).filter((end) => seen < end && end <= now)
    const truths = [now, ...(seen < now ? [seen, ...ends] : [])].map((at) => {
      const left = entries.filter((entry) => expiryOf(entry) >= at)
      return JSON.stringify(scanSays(question, left))
    })
    expect(truths, about).toContain(JSON.stringify({ status, text }))
    for (const entry of entriesIn(text)) expect(expiryOf(entry), about).toBeGreaterThanOrEqual(seen)
  }
}

function entriesIn(text: string): readonly MirroredEntry[] {
  const { entry, entries } = JSON.parse(text)
  return entries ?? (entry === undefined ? [] : [entry])
}
