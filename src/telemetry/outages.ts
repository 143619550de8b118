import type { Clock } from '../lib/clock.ts'
import type { Fields } from './logger.ts'

/** Receives the changes that are worth a line of the log. */
export interface OutageLines {
  /** @param detail the fields of the fault that was reported last. */
  readonly began: (subject: string, detail: Fields) => void
  /** @param ms how long the outage took. */
  readonly ended: (subject: string, ms: number) => void
}

interface Subject {
  /** When its outage began. Undefined while it works. */
  downSince: number | undefined
  /** Whether the log has a line about this outage. */
  isTold: boolean
  /** When the log last had a line about the begin of an outage. */
  toldAt: number
}

/** After one outage was told, shorter outages than `longMs` are not told for this long. */
const quietMs = 600_000
const longMs = 60_000

/**
 * Tells once that something fails and once that it works again. A subject that changes between the two all the time gets
 * one pair of lines in ten minutes, and a line for each outage that takes a minute or longer.
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
    if (subject.isTold || !isWorthALine(subject, subject.downSince, now)) return
    subject.isTold = true
    subject.toldAt = now
    this.#lines.began(name, detail)
  }

  worked(name: string): void {
    const subject = this.#subjects.get(name)
    if (subject?.downSince === undefined) return
    const ms = this.#clock.now() - subject.downSince
    const { isTold } = subject
    subject.downSince = undefined
    subject.isTold = false
    if (isTold) this.#lines.ended(name, ms)
  }

  /** Makes the next outage worth a line at once, however short the time since the last one is. */
  tellNext(name: string): void {
    this.#of(name).toldAt = Number.NEGATIVE_INFINITY
  }

  /** Forgets a subject without a line. */
  forget(name: string): void {
    this.#subjects.delete(name)
  }

  /** Returns how long each outage has lasted, by subject. */
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
      subject = { downSince: undefined, isTold: false, toldAt: Number.NEGATIVE_INFINITY }
      this.#subjects.set(name, subject)
    }
    return subject
  }
}

function isWorthALine({ toldAt }: Subject, downSince: number, now: number): boolean {
  return now - toldAt >= quietMs || now - downSince >= longMs
}
