import type { Clock } from '../lib/clock.ts'
import type { Fields } from './logger.ts'

export interface OutageLines {
  readonly began: (subject: string, detail: Fields) => void
  readonly ended: (subject: string, ms: number) => void
}

interface Subject {
  downSince: number | undefined
  isLogged: boolean
  loggedAt: number
}

const longMs = 60_000

/**
 * Logs the start and the end of outages. For some time after it has logged a start, by default ten
 * minutes, it logs another outage of the same subject only if that lasts a minute.
 */
export class Outages {
  readonly #clock: Pick<Clock, 'now'>
  readonly #lines: OutageLines
  readonly #quietMs: number
  readonly #subjects = new Map<string, Subject>()

  constructor(clock: Pick<Clock, 'now'>, lines: OutageLines, quietMs = 600_000) {
    this.#clock = clock
    this.#lines = lines
    this.#quietMs = quietMs
  }

  failed(name: string, detail: Fields): void {
    const now = this.#clock.now()
    const subject = this.#of(name)
    subject.downSince ??= now
    const isWorthALine = now - subject.loggedAt >= this.#quietMs || now - subject.downSince >= longMs
    if (subject.isLogged || !isWorthALine) return
    subject.isLogged = true
    subject.loggedAt = now
    this.#lines.began(name, detail)
  }

  worked(name: string): void {
    const subject = this.#subjects.get(name)
    if (subject?.downSince === undefined) return
    const ms = this.#clock.now() - subject.downSince
    const { isLogged } = subject
    subject.downSince = undefined
    subject.isLogged = false
    if (isLogged) this.#lines.ended(name, ms)
  }

  tellNext(name: string): void {
    this.#of(name).loggedAt = Number.NEGATIVE_INFINITY
  }

  forget(name: string): void {
    this.#subjects.delete(name)
  }

  get running(): ReadonlyMap<string, number> {
    const now = this.#clock.now()
    const down = [...this.#subjects].flatMap(([name, { downSince }]) =>
      downSince === undefined ? [] : [[name, now - downSince] as const],
    )
    return new Map(down)
  }

  #of(name: string): Subject {
    let subject = this.#subjects.get(name)
    if (subject === undefined) {
      subject = { downSince: undefined, isLogged: false, loggedAt: Number.NEGATIVE_INFINITY }
      this.#subjects.set(name, subject)
    }
    return subject
  }
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** Formats a duration with its two largest units: `3.2s`, `12m`, `1h 5m`. */
export function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 10) return `${Math.round(ms / 100) / 10}s`
  const first = units.findIndex(([, length]) => seconds >= length)
  const [[name, length], next] = [units[first] as (typeof units)[number], units[first + 1]]
  const rest = next === undefined ? 0 : Math.floor((seconds % length) / next[1])
  const whole = `${Math.floor(seconds / length)}${name}`
  return rest === 0 || next === undefined ? whole : `${whole} ${rest}${next[0]}`
}
