import type { Clock } from '../lib/clock.ts'

/** A request in flight, as its group sees it. */
export interface Grouped {
  /** Ends the request because its time is up. */
  expire(): void
  /** Ends the request because the group's signal aborted, with the signal's reason. */
  abort(reason: unknown): void
}

interface Member {
  readonly request: Grouped
  /** When its time is up, on `Clock.now()`. */
  readonly until: number
}

/**
 * The requests in flight of one read, or of one caller that is no read. The group ends each request when its time is up, and
 * all of them when the signal aborts, with one timer and one listener for all.
 */
export class RequestGroup {
  readonly signal: AbortSignal
  readonly #clock: Clock
  readonly #members: Member[] = []
  #alarmAt = Number.POSITIVE_INFINITY
  #cancelAlarm = nothing

  constructor(signal: AbortSignal, clock: Clock) {
    this.signal = signal
    this.#clock = clock
  }

  add(request: Grouped, timeoutMs: number): void {
    if (this.#members.length === 0) this.signal.addEventListener('abort', this, once)
    const until = this.#clock.now() + timeoutMs
    this.#members.push({ request, until })
    if (until < this.#alarmAt) this.#setAlarm(until)
  }

  /** Does nothing for a request that is not in the group. */
  remove(request: Grouped): void {
    const at = this.#members.findIndex((member) => member.request === request)
    if (at === -1) return
    this.#members.splice(at, 1)
    if (this.#members.length > 0) return
    this.#cancelAlarm()
    this.#alarmAt = Number.POSITIVE_INFINITY
    this.signal.removeEventListener('abort', this)
  }

  /** `AbortSignal` calls this when it aborts. */
  handleEvent(): void {
    for (const { request } of [...this.#members]) request.abort(this.signal.reason)
  }

  #setAlarm(at: number): void {
    this.#cancelAlarm()
    this.#alarmAt = at
    this.#cancelAlarm = this.#clock.after(Math.max(0, at - this.#clock.now()), () => this.#ring())
  }

  #ring(): void {
    const due = this.#members.filter(({ until }) => until <= this.#alarmAt)
    this.#alarmAt = Number.POSITIVE_INFINITY
    for (const { request } of due) request.expire()
    if (this.#members.length > 0) this.#setAlarm(Math.min(...this.#members.map(({ until }) => until)))
  }
}

const once = { once: true }
const nothing = () => {}
