import type { Clock } from '../lib/clock.ts'
import type { Fields, Logger } from './logger.ts'

const everyMs = 600_000

/** The groups of counts in a summary. Each group is one field of the log line. */
export type SummaryGroup = 'faults' | 'contradictions' | 'readsNotAgreed' | 'readsRejected' | 'linesLeftOut'

/**
 * Counts events, also those that get no log line of their own. Ten minutes after the first event, writes one
 * line with the counts, and begins to count from zero again. Without events, no line is written.
 */
export class Summary {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #more: () => Fields
  readonly #counts = new Map<SummaryGroup, Map<string, Map<string, number>>>()
  #cancel: (() => void) | undefined

  /** @param more returns further fields for the log line. Called when the line is written. */
  constructor(logger: Logger, clock: Clock, more: () => Fields) {
    this.#logger = logger
    this.#clock = clock
    this.#more = more
  }

  /**
   * Adds 1 to a count. Callers must use few different subjects and kinds, so that the log line stays short.
   */
  count(group: SummaryGroup, subject: string, kind: string): void {
    const subjects = inside(this.#counts, group, () => new Map<string, Map<string, number>>())
    const kinds = inside(subjects, subject, () => new Map<string, number>())
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    this.#cancel ??= this.#clock.after(everyMs, () => this.#write())
  }

  /** Discards the counts and cancels the log line. */
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
