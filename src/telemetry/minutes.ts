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
    const first = this.#first()
    const number = this.#number(agoMs)
    if (number < first) return undefined
    const known = this.#values.get(number)
    if (known !== undefined) return known
    for (const old of this.#values.keys()) if (old < first) this.#values.delete(old)
    const made = this.#make()
    this.#values.set(number, made)
    return made
  }

  /** The oldest minute comes first, and the current one last. */
  last(): readonly (T | undefined)[] {
    const first = this.#first()
    return Array.from({ length: this.#most }, (_, index) => this.#values.get(first + index))
  }

  #first(): number {
    return this.#number() - this.#most + 1
  }

  #number(agoMs = 0): number {
    return Math.floor((this.#clock.now() - agoMs) / minuteMs)
  }
}
