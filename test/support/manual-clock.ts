import { type Clock, type Moment, momentBefore, momentOf } from '../../src/base/lib/clock.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** A clock that moves only in `advance`. Timers fire in the order in which they are due. */
export class ManualClock implements Clock {
  #now = 1_000
  #wall: number
  #order = 0
  readonly #timers = new Set<Timer>()

  constructor(wall = Date.UTC(2026, 0, 1)) {
    this.#wall = wall
  }

  now(): number {
    return this.#now
  }

  wall(): number {
    return this.#wall
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, order: this.#order++, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  get waiting(): number {
    return this.#timers.size
  }

  advance(ms: number): void {
    const end = this.#now + ms
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next)
      this.#move(next.at - this.#now)
      next.run()
    }
    this.#move(end - this.#now)
  }

  setWall(wall: number): void {
    this.#wall = wall
  }

  /** As while a machine sleeps: the wall clock goes on, the monotonic clock and its timers stand still. */
  sleep(ms: number): void {
    this.#wall += ms
  }

  #move(ms: number): void {
    this.#now += ms
    this.#wall += ms
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.at > end) continue
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order))
        next = timer
    }
    return next
  }
}

/** The moment that was `ms` milliseconds ago. */
export function ago(clock: Pick<Clock, 'now' | 'wall'>, ms = 0): Moment {
  return momentBefore(momentOf(clock), ms)
}
