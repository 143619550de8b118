import type { Clock } from '../lib/clock.ts'
import type { Fields } from './logger.ts'

/** Writes the log lines about the beginning and the end of an outage. */
export interface OutageLines {
  /** @param detail the fields of the fault that caused the line. */
  readonly began: (subject: string, detail: Fields) => void
  /** @param ms the duration of the outage in milliseconds. */
  readonly ended: (subject: string, ms: number) => void
}

interface Subject {
  /** The start of the outage. Undefined while the subject works. */
  downSince: number | undefined
  /** Whether the log already has a line about the start of this outage. */
  isLogged: boolean
  /** The time of the latest log line about the start of an outage of this subject. */
  loggedAt: number
}

/**
 * A log line about an outage begins a quiet period of `quietMs` milliseconds. In this period, a further
 * outage of the same subject gets a line only if it lasts at least `longMs` milliseconds.
 */
const quietMs = 600_000
const longMs = 60_000

/**
 * Reports the start and the end of outages of subjects, such as super validators. If a subject fails and
 * recovers often, not every outage is reported. In the ten minutes after a reported outage, an outage must
 * last at least a minute to be reported.
 */
export class Outages {
  readonly #clock: Pick<Clock, 'now'>
  readonly #lines: OutageLines
  readonly #subjects = new Map<string, Subject>()

  constructor(clock: Pick<Clock, 'now'>, lines: OutageLines) {
    this.#clock = clock
    this.#lines = lines
  }

  failed(name: string, detail: Fields): void {
    const now = this.#clock.now()
    const subject = this.#of(name)
    subject.downSince ??= now
    if (subject.isLogged || !isWorthALine(subject, subject.downSince, now)) return
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

  /**
   * Makes sure that the next outage of this subject gets a log line, even if it begins shortly after the line
   * about the last outage.
   */
  tellNext(name: string): void {
    this.#of(name).loggedAt = Number.NEGATIVE_INFINITY
  }

  /** Forgets a subject without writing a line. */
  forget(name: string): void {
    this.#subjects.delete(name)
  }

  /** Returns how many milliseconds each present outage has lasted so far, by subject. */
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

function isWorthALine({ loggedAt }: Subject, downSince: number, now: number): boolean {
  return now - loggedAt >= quietMs || now - downSince >= longMs
}
