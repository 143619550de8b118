import type { Clock } from './clock.ts'

interface ItemDeadline<T> {
  readonly item: T
  readonly at: number
}

export class Deadlines<T> {
  readonly #clock: Clock
  readonly #due: (item: T) => void
  #deadlines: ItemDeadline<T>[] = []
  #alarmAt = Number.POSITIVE_INFINITY
  #cancelAlarm = nothing

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

const nothing = () => {}
