import type { Clock } from '../lib/clock.ts'
import type { Fields } from './logger.ts'

/** Writes lines to the log when an outage begins or ends. */
export interface OutageLines {
  /** @param detail the fields of the latest fault. */
  readonly began: (subject: string, detail: Fields) => void
  /** @param ms the duration of the outage in milliseconds. */
  readonly ended: (subject: string, ms: number) => void
}

interface Subject {
  /** The start of the outage. Undefined while the subject works. */
  downSince: number | undefined
  /** Whether the log has a line about the start of this outage. */
  isTold: boolean
  /** The time of the log's last line about the start of an outage of this subject. */
  toldAt: number
}

/** For this long after a line about an outage, only outages of at least `longMs` get a line. In milliseconds. */
const quietMs = 600_000
const longMs = 60_000

/**
 * Reports once that a subject fails, and once that it works again. If a subject fails and recovers all the time, only
 * one of its outages in ten minutes is reported. An outage of a minute or longer is always reported.
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

  /** Makes the next outage get a line at once, even shortly after the line about the last one. */
  tellNext(name: string): void {
    this.#of(name).toldAt = Number.NEGATIVE_INFINITY
  }

  /** Forgets a subject, and writes nothing. */
  forget(name: string): void {
    this.#subjects.delete(name)
  }

  /** Returns how many milliseconds each current outage has lasted, by subject. */
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
