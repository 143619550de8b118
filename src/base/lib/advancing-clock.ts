import type { Clock } from './clock.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly run: () => void
  disarm: () => void
}

/**
 * A clock that can be moved forward. As when a machine wakes from sleep, each timer that became due
 * runs once and sees the new time.
 */
export class AdvancingClock implements Clock {
  readonly #below: Clock
  readonly #timers = new Set<Timer>()
  #ahead = 0
  #order = 0

  constructor(below: Clock) {
    this.#below = below
  }

  now(): number {
    return this.#below.now() + this.#ahead
  }

  wall(): number {
    return this.#below.wall() + this.#ahead
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { at: this.now() + ms, order: this.#order++, run, disarm: () => {} }
    this.#timers.add(timer)
    this.#arm(timer)
    return () => this.#drop(timer)
  }

  /** @throws RangeError if `ms` is negative or not a finite number */
  advance(ms: number): void {
    if (!(ms >= 0) || !Number.isFinite(ms)) throw new RangeError(`time does not move by ${ms} ms`)
    this.#ahead += ms
    const now = this.now()
    const waiting = [...this.#timers].sort((a, b) => a.at - b.at || a.order - b.order)
    for (const timer of waiting) {
      if (!this.#timers.has(timer)) continue
      if (timer.at <= now) this.#fire(timer)
      else this.#arm(timer)
    }
  }

  #arm(timer: Timer): void {
    timer.disarm()
    const ms = Math.max(0, timer.at - this.now())
    timer.disarm = this.#below.after(ms, () => {
      if (this.now() < timer.at) this.#arm(timer)
      else this.#fire(timer)
    })
  }

  #fire(timer: Timer): void {
    this.#drop(timer)
    timer.run()
  }

  #drop(timer: Timer): void {
    timer.disarm()
    this.#timers.delete(timer)
  }
}
