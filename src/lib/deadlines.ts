import type { Clock } from './clock.ts'

interface Deadline<T> {
  readonly item: T
  /** The deadline of the item, as a value of `Clock.now()`. */
  readonly at: number
}

/** Calls a function for each item when the item's deadline has come. All items share one timer. */
export class Deadlines<T> {
  readonly #clock: Clock
  readonly #due: (item: T) => void
  #deadlines: Deadline<T>[] = []
  /** The time at which the timer fires, as a value of `Clock.now()`; infinite if there is no item. */
  #alarmAt = Number.POSITIVE_INFINITY
  #cancelAlarm = nothing

  /** @param due called with each item whose deadline has come. The item has already been removed then. */
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

  /**
   * Adds an item.
   * @param ms milliseconds from now until the item's deadline.
   */
  add(item: T, ms: number): void {
    const at = this.#clock.now() + ms
    this.#deadlines.push({ item, at })
    if (at < this.#alarmAt) this.#setAlarm(at)
  }

  /** Removes an item. Does nothing if the item was never added, or if its deadline has already come. */
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

const nothing = () => {}
