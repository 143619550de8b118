import type { Clock } from '../lib/clock.ts'
import type { Generation } from './generations.ts'
import { topicsOf } from './key.ts'

/** Raised alone it reaches every key. */
export const everything = ''

/** The position before the first raise, as Redis writes the ids of a stream. */
export const beginning = '0-0'

interface Raised {
  readonly count: number
  /** The last place of this topic in the stream. */
  readonly position: string
  /** The count of the last raise of this process that is not in the stream yet; 0 where all are. */
  readonly unplaced: number
  readonly at: number
}

const never: Raised = { count: 0, position: beginning, unplaced: 0, at: Number.NEGATIVE_INFINITY }
const maxTopics = 10_000
const withholdMs = 10_000

/**
 * The last raise of every topic. Bounded: when it is full the oldest raise becomes one of everything, so that what is
 * forgotten costs loads and never serves what is outdated.
 */
export class RaiseBook {
  readonly #clock: Clock
  /** In the order of their last raise. */
  readonly #topics = new Map<string, Raised>()
  #everything = never
  #current: Generation = { count: 0, position: beginning }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get current(): Generation {
    return this.#current
  }

  isCurrent(key: string, { count }: Generation): boolean {
    if (count === this.#current.count) return true
    return this.#reaching(key).every((raised) => raised.count <= count)
  }

  adopt(key: string, position: string): Generation | undefined {
    const newest = this.#reaching(key).every(
      (raised) => raised.unplaced === 0 && !isLater(raised.position, position),
    )
    return newest ? this.#current : undefined
  }

  withholdsAbsence(key: string): boolean {
    const since = this.#clock.now() - withholdMs
    return this.#reaching(key).some((raised) => raised.at > since)
  }

  /** Notes a raise of this process and returns its count. */
  raiseHere(topics: readonly string[]): number {
    const count = this.#advance(this.#current.position)
    for (const topic of topics) this.#note(topic, { count, unplaced: count })
    return count
  }

  /** Notes a raise that the stream has at `position`. */
  raiseFromStream(topics: readonly string[], position: string): void {
    const count = this.#advance(position)
    for (const topic of topics) this.#note(topic, { count, position })
  }

  /** The raises of these topics by this process, up to this count, have come back out of the stream. */
  place(topics: readonly string[], upTo: number, position: string): void {
    this.#current = { ...this.#current, position }
    const placed = (raised: Raised): Raised =>
      raised.unplaced > 0 && raised.unplaced <= upTo ? { ...raised, position, unplaced: 0 } : raised
    this.#everything = placed(this.#everything)
    for (const topic of topics.includes(everything) ? this.#topics.keys() : topics) {
      const raised = this.#topics.get(topic)
      if (raised !== undefined) this.#topics.set(topic, placed(raised))
    }
  }

  #advance(position: string): number {
    this.#current = { count: this.#current.count + 1, position }
    return this.#current.count
  }

  #note(topic: string, change: Partial<Raised>): void {
    const at = this.#clock.now()
    if (topic === everything) {
      // The raises of this process that are not in the stream yet still are not.
      const unplaced = this.#topics
        .values()
        .reduce((latest, raised) => Math.max(latest, raised.unplaced), this.#everything.unplaced)
      this.#everything = { ...this.#everything, unplaced, ...change, at }
      this.#topics.clear()
      return
    }
    const raised = { ...(this.#topics.get(topic) ?? never), ...change, at }
    this.#topics.delete(topic)
    this.#topics.set(topic, raised)
    if (this.#topics.size > maxTopics) this.#forgetOldest()
  }

  #forgetOldest(): void {
    for (const [topic, { count, position, unplaced }] of this.#topics) {
      this.#topics.delete(topic)
      this.#everything = {
        count: Math.max(count, this.#everything.count),
        position: isLater(position, this.#everything.position) ? position : this.#everything.position,
        unplaced: Math.max(unplaced, this.#everything.unplaced),
        at: this.#everything.at,
      }
      return
    }
  }

  #reaching(key: string): Raised[] {
    const { question, read } = topicsOf(key)
    const raised = [this.#everything]
    for (const topic of question === read ? [read] : [question, read]) {
      const found = this.#topics.get(topic)
      if (found !== undefined) raised.push(found)
    }
    return raised
  }
}

/** Whether one id of a stream comes after another. */
export function isLater(one: string, other: string): boolean {
  const [ms, order] = numbers(one)
  const [otherMs, otherOrder] = numbers(other)
  return ms === otherMs ? order > otherOrder : ms > otherMs
}

function numbers(id: string): [number, number] {
  const [ms, order] = id.split('-')
  return [Number(ms), Number(order ?? 0)]
}
