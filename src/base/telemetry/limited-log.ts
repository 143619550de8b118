import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import type { Fields, Logger } from './logger.ts'

const mostSubjects = 1_000

/**
 * Writes a message about a subject at most once in an interval, and omits its repetitions. The next
 * line that is written has their number in the field `suppressed`.
 */
export class LimitedLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #leftOut: (message: string) => void
  readonly #last = new LRUCache<string, { at: number; suppressed: number }>({ max: mostSubjects })

  constructor(logger: Logger, clock: Clock, everyMs: number, leftOut: (message: string) => void = () => {}) {
    this.#logger = logger
    this.#clock = clock
    this.#everyMs = everyMs
    this.#leftOut = leftOut
  }

  write(level: 'info' | 'warn' | 'error', subject: string, fields: Fields, message: string): void {
    const key = `${message}\0${subject}`
    const now = this.#clock.now()
    const last = this.#last.peek(key)
    if (last !== undefined && now - last.at < this.#everyMs) {
      last.suppressed++
      this.#leftOut(message)
      return
    }
    this.#last.set(key, { at: now, suppressed: 0 })
    const suppressed = last?.suppressed ?? 0
    this.#logger[level](suppressed > 0 ? { ...fields, suppressed } : fields, message)
  }

  /** Lifts the limit once: for each subject, the next line with this message is written. */
  writeAgain(message: string): void {
    for (const [key, last] of this.#last.entries())
      if (key.startsWith(`${message}\0`)) last.at = Number.NEGATIVE_INFINITY
  }
}

const everyMs = 600_000

export type SummaryGroup = 'faults' | 'contradictions' | 'readsNotAgreed' | 'readsRejected' | 'linesLeftOut'

/**
 * Counts events. Ten minutes after the first one, writes one log line with the counts, and begins
 * anew. Without events, no line is written.
 */
export class Summary {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #more: () => Fields
  readonly #counts = new Map<SummaryGroup, Map<string, Map<string, number>>>()
  #cancel: (() => void) | undefined

  constructor(logger: Logger, clock: Clock, more: () => Fields) {
    this.#logger = logger
    this.#clock = clock
    this.#more = more
  }

  /** Subjects and kinds must be few, so that the log line stays short. */
  count(group: SummaryGroup, subject: string, kind: string): void {
    const subjects = inside(this.#counts, group, () => new Map<string, Map<string, number>>())
    const kinds = inside(subjects, subject, () => new Map<string, number>())
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    this.#cancel ??= this.#clock.after(everyMs, () => this.#write())
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#counts.clear()
  }

  #write(): void {
    const counted = [...this.#counts].map(([group, subjects]) => [
      group,
      Object.fromEntries([...subjects].map(([subject, kinds]) => [subject, Object.fromEntries(kinds)])),
    ])
    this.stop()
    this.#logger.info({ ...this.#more(), ...Object.fromEntries(counted) }, 'summary of ten minutes')
  }
}

function inside<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/**
 * Chooses the level of the log line about something that works: `warn` after an outage, else
 * `info`. A log at level `warn` then shows the beginning and the end of each outage.
 */
export class EndLevel {
  #isDown = false

  began(): void {
    this.#isDown = true
  }

  ended(): 'info' | 'warn' {
    const level = this.#isDown ? 'warn' : 'info'
    this.#isDown = false
    return level
  }
}
