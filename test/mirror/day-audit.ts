import { expect } from 'vitest'
import type { Served } from '../../src/cache/answers.ts'
import type { AsOf } from '../../src/cache/as-of.ts'
import { expiryOf } from '../../src/mirror/entries.ts'
import type { MirroredEntry } from '../../src/mirror/entry.ts'
import type { Question } from '../../src/reads/read.ts'
import type { NameBooks } from './day-books.ts'
import { longestHonestLagMs } from './day-weather.ts'
import { liveValue } from './mirrored.ts'
import { scanSays } from './stream-differential.ts'

/** The times at which a daemon answered. All are milliseconds since 1970. */
export interface AskedAt {
  /** The true time. */
  readonly now: number
  /** The latest time that the daemon had seen on its own clock. Whatever had expired then must not be served. */
  readonly seen: number
  /** Whether the daemon has known the true time since its start. */
  readonly isTimely: boolean
  /** The names of the super validators that the daemon trusts now, and how many of them must agree. */
  readonly voters: readonly string[]
  readonly threshold: number
}

/** A live read may take this long, and the daemon notes the time at its end. */
const longestReadMs = 120_000

/** Compares every answer of a mirror with the books, as of the time that the answer states. */
export class DayAudit {
  readonly #level: 'bindings' | 'stream'
  readonly #books: NameBooks
  readonly #latest = new Map<string, number>()
  /** How many answers were compared, by claim, basis and status. */
  readonly compared = new Map<string, number>()

  constructor(level: 'bindings' | 'stream', books: NameBooks) {
    this.#level = level
    this.#books = books
  }

  check(question: Question, { answer, asOf }: Served, asked: AskedAt): void {
    if (asOf === undefined) throw new Error('an answer of the mirror states its time')
    const text = answer.body.toString()
    const about = () => `${JSON.stringify(question.params)} ${JSON.stringify(asOf)} at ${asked.now}: ${text}`
    expect(asOf.at, about()).toBeLessThanOrEqual(asked.now)
    const { agreed } = answer.agreement
    expect(asked.voters, about()).toEqual(expect.arrayContaining([...agreed]))
    expect(agreed.length, about()).toBeGreaterThanOrEqual(asked.threshold)
    if (this.#level === 'bindings') expect([asOf.claim, answer.status], about()).toEqual(['binding', 200])
    this.#checkOrder(asOf, about)
    if (asOf.claim === 'state')
      this.#checkState(question, { text, status: answer.status, asOf }, { asked, about })
    else this.#checkBinding({ text, name: question.params['name'] ?? '', asOf }, { asked, about })
    const kind = `${asOf.claim} ${asOf.basis} ${question.read.id} ${answer.status}`
    this.compared.set(kind, (this.compared.get(kind) ?? 0) + 1)
  }

  /** The time of the snapshot, and that of the state, never go back. */
  #checkOrder({ at, basis }: AsOf, about: () => string): void {
    if (basis === 'live') return
    expect(at, about()).toBeGreaterThanOrEqual(this.#latest.get(basis) ?? 0)
    this.#latest.set(basis, at)
  }

  #checkBinding(
    { text, name, asOf }: { readonly text: string; readonly name: string; readonly asOf: AsOf },
    { asked, about }: { readonly asked: AskedAt; readonly about: () => string },
  ): void {
    const { entry } = JSON.parse(text) as { entry: MirroredEntry }
    expect(entry.name, about()).toBe(name)
    expect(expiryOf(entry), about()).toBeGreaterThan(asked.seen)
    expect(text, about()).toBe(liveValue(entry).body.toString())
    if (asOf.basis === 'snapshot') expect(this.#books.before(asOf.at), about()).toContainEqual(entry)
    else if (asked.isTimely) {
      const from = asOf.at - longestHonestLagMs - longestReadMs
      expect(this.#books.had(entry, from, asOf.at), about()).toBe(true)
    }
  }

  /** An entry that expires between the times which the daemon may know is in the answer, or it is not. */
  #checkState(
    question: Question,
    { text, status, asOf }: { readonly text: string; readonly status: number; readonly asOf: AsOf },
    { asked, about }: { readonly asked: AskedAt; readonly about: () => string },
  ): void {
    const entries = this.#books.before(asOf.at + 1)
    const ends = entries.map((entry) => expiryOf(entry) + 1)
    const instants = [asked.seen, asked.now, ...ends.filter((end) => asked.seen < end && end <= asked.now)]
    const truths = instants.map((at) =>
      scanSays(
        question,
        entries.filter((entry) => expiryOf(entry) >= at),
      ),
    )
    expect(
      truths.map(({ text }) => text),
      about(),
    ).toContain(text)
    expect(truths.find((truth) => truth.text === text)?.status, about()).toBe(status)
  }
}
