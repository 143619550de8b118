import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import type { Fields, Logger } from './logger.ts'

const mostSubjects = 1_000

/**
 * Limits lines that could come thousands of times per second. It writes at most one line per message and subject in
 * each interval. `suppressed` in the next line counts the lines left out.
 */
export class LimitedLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #last = new LRUCache<string, { readonly at: number; suppressed: number }>({ max: mostSubjects })

  constructor(logger: Logger, clock: Clock, everyMs: number) {
    this.#logger = logger
    this.#clock = clock
    this.#everyMs = everyMs
  }

  write(level: 'info' | 'warn', subject: string, fields: Fields, message: string): void {
    const key = `${message}\0${subject}`
    const now = this.#clock.now()
    const last = this.#last.peek(key)
    if (last !== undefined && now - last.at < this.#everyMs) {
      last.suppressed++
      return
    }
    this.#last.set(key, { at: now, suppressed: 0 })
    const suppressed = last?.suppressed ?? 0
    this.#logger[level](suppressed > 0 ? { ...fields, suppressed } : fields, message)
  }
}
