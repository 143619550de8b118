/**
 * Tells the time and runs timers. Code that waits or reads the time uses a `Clock`, not the
 * machine's own functions.
 */
export interface Clock {
  /** Returns milliseconds on a monotonic scale with an arbitrary zero. */
  now(): number
  /** Returns milliseconds since 1970, for comparison with times of other machines. */
  wall(): number
  /**
   * Calls `run` once after `ms` milliseconds, and returns a function that cancels the call. The
   * timer never keeps the process alive.
   */
  after(ms: number, run: () => void): () => void
}

/** With a longer delay, JavaScript runs the callback immediately. */
export const longestTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const left = ms - longestTimerMs
    let cancel = () => clearTimeout(timer)
    const next = () => {
      cancel = systemClock.after(left, run)
    }
    const timer = left > 0 ? setTimeout(next, longestTimerMs) : setTimeout(run, ms)
    letGo(timer)
    return () => cancel()
  },
}

/** Returns a clock that runs its timers as `clock` does, and has another wall time. */
export function withWall(clock: Clock, wall: () => number): Clock {
  return { now: () => clock.now(), after: (ms, run) => clock.after(ms, run), wall }
}

function letGo(timer: number | { unref(): unknown }): void {
  if (typeof timer !== 'number') timer.unref()
}

export interface Moment {
  readonly now: number
  readonly wall: number
}

export function momentOf(clock: Pick<Clock, 'now' | 'wall'>): Moment {
  return { now: clock.now(), wall: clock.wall() }
}

/**
 * Returns the age of something of the moment `since`, in milliseconds: by the wall clock or by the
 * monotonic clock, whichever says more. The monotonic clock stands still while a machine sleeps, and
 * the wall clock may be set back. Every age on which an answer depends is computed here
 * (quorum.md#two-clocks).
 */
export function ageMs(since: Moment, at: Moment): number {
  return Math.max(0, at.now - since.now, at.wall - since.wall)
}

/** Returns the moment at which something began that has the age `ms` now. */
export function momentBefore({ now, wall }: Moment, ms: number): Moment {
  return { now: now - ms, wall: wall - ms }
}

const mostStepMs = 60_000

/**
 * Whether the wall clock was set, or the machine slept, by more than a minute between two moments.
 * Answers from before are then too old to serve, or their age is unknown.
 */
export function isClockStepped(since: Moment, at: Moment): boolean {
  return Math.abs(at.wall - since.wall - (at.now - since.now)) > mostStepMs
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export type Duration = `${number}${keyof typeof unitMs}`

export function tryMilliseconds(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  if (match === null) return undefined
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
}

/** @throws TypeError if the text is not a duration */
export function milliseconds(text: Duration): number {
  const ms = tryMilliseconds(text)
  if (ms === undefined) throw new TypeError(`not a duration: ${text}`)
  return ms
}

interface ItemDeadline<T> {
  readonly item: T
  readonly at: number
}

/** Calls `due` with each item when its time is over. All items share one timer. */
export class Deadlines<T> {
  readonly #clock: Clock
  readonly #due: (item: T) => void
  #deadlines: ItemDeadline<T>[] = []
  #alarmAt = Number.POSITIVE_INFINITY
  #cancelAlarm = () => {}

  constructor(clock: Clock, due: (item: T) => void) {
    this.#clock = clock
    this.#due = due
  }

  get items(): readonly T[] {
    return this.#deadlines.map(({ item }) => item)
  }

  get isEmpty(): boolean {
    return this.#deadlines.length === 0
  }

  add(item: T, ms: number): void {
    const at = this.#clock.now() + ms
    this.#deadlines.push({ item, at })
    if (at < this.#alarmAt) this.#setAlarm(at)
  }

  remove(item: T): void {
    const index = this.#deadlines.findIndex((deadline) => deadline.item === item)
    if (index === -1) return
    this.#deadlines.splice(index, 1)
    if (this.isEmpty) this.clear()
  }

  clear(): void {
    this.#deadlines = []
    this.#cancelAlarm()
    this.#alarmAt = Number.POSITIVE_INFINITY
  }

  #setAlarm(at: number): void {
    this.#cancelAlarm()
    this.#alarmAt = at
    this.#cancelAlarm = this.#clock.after(Math.max(0, at - this.#clock.now()), () => this.#ring())
  }

  #ring(): void {
    const rungAt = this.#alarmAt
    const late = this.#deadlines.filter(({ at }) => at <= rungAt)
    this.#deadlines = this.#deadlines.filter(({ at }) => at > rungAt)
    this.#alarmAt = Number.POSITIVE_INFINITY
    if (!this.isEmpty) this.#setAlarm(Math.min(...this.#deadlines.map(({ at }) => at)))
    for (const { item } of late) this.#due(item)
  }
}
