import type { Clock } from '../lib/clock.ts'
import type { Fields, Logger } from './logger.ts'

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
