import type { Clock } from '../lib/clock.ts'

const minuteMs = 60_000

/** One value for each of the last minutes, made when the minute first needs one. */
export class Minutes<T> {
  readonly #clock: Pick<Clock, 'now'>
  readonly #most: number
  readonly #make: () => T
  readonly #values = new Map<number, T>()

  constructor(clock: Pick<Clock, 'now'>, most: number, make: () => T) {
    this.#clock = clock
    this.#most = most
    this.#make = make
  }

  /** Undefined for a time before the last minutes. */
  at(agoMs = 0): T | undefined {
    const now = this.#clock.now()
    const number = minuteOf(now - agoMs)
    const known = this.#values.get(number)
    if (known !== undefined) return known
    const first = this.#firstAt(now)
    if (number < first) return undefined
    for (const old of this.#values.keys()) if (old < first) this.#values.delete(old)
    const made = this.#make()
    this.#values.set(number, made)
    return made
  }

  /** The oldest minute comes first, and the current one last. */
  last(): readonly (T | undefined)[] {
    const first = this.#firstAt(this.#clock.now())
    return Array.from({ length: this.#most }, (_, index) => this.#values.get(first + index))
  }

  #firstAt(now: number): number {
    return minuteOf(now) - this.#most + 1
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / minuteMs)
}
