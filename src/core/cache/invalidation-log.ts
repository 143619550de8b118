import type { Clock } from '../../base/lib/clock.ts'
import { topicsOf } from './key.ts'

/**
 * A place in the sequence of invalidations that this process has seen. A load remembers the place
 * at which it began.
 */
export interface InvalidationPoint {
  readonly count: number
  readonly position: string
}

/** The topic that invalidates every key. */
export const everything = ''

export const beforeFirstEntry = '0-0'

interface LatestInvalidation {
  readonly count: number
  readonly position: string
  /**
   * The `count` of this process's latest invalidation of the topic, until the process reads that
   * invalidation back from the Redis stream and thereby learns its position. 0 if there is no such
   * invalidation.
   */
  readonly unreadOwnCount: number
  readonly at: number
}

const never: LatestInvalidation = {
  count: 0,
  position: beforeFirstEntry,
  unreadOwnCount: 0,
  at: Number.NEGATIVE_INFINITY,
}
const maxTopics = 10_000
const withholdMs = 10_000

/**
 * Invalidates cached answers (quorum.md#invalidation). If a load of such an answer is running, its
 * callers still get the answer, but no store keeps it.
 *
 * The log remembers the latest invalidation of each topic. A full log replaces its oldest entry by an
 * invalidation of everything. That causes more loads, but the cache never serves an outdated answer.
 */
export class InvalidationLog implements AsyncDisposable {
  readonly #clock: Clock
  readonly #topics = new Map<string, LatestInvalidation>()
  /**
   * One iterator that always continues at the oldest topic. A new iterator would first skip all
   * deleted entries of the map.
   */
  readonly #oldest = this.#topics.keys()
  #everything = never
  current: InvalidationPoint = { count: 0, position: beforeFirstEntry }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isCurrent(key: string, { count }: InvalidationPoint): boolean {
    if (count === this.current.count) return true
    return this.#reaching(key).every((entry) => entry.count <= count)
  }

  /**
   * Converts a position in the Redis stream, at which a daemon loaded an answer, to a point of this
   * process. Returns undefined if the key was invalidated after that position, or if this process
   * cannot know.
   */
  localPointOf(key: string, position: string): InvalidationPoint | undefined {
    const newest = this.#reaching(key).every(
      (entry) => entry.unreadOwnCount === 0 && !isLaterId(entry.position, position),
    )
    return newest ? this.current : undefined
  }

  /**
   * Whether the cache must not store an absence under this key. True for 10 s after an
   * invalidation: the name may be new, and a lagging quorum may still call it absent.
   */
  withholdsAbsence(key: string): boolean {
    const since = this.#clock.now() - withholdMs
    return this.#reaching(key).some((entry) => entry.at > since)
  }

  /**
   * Invalidates topics (`topic` in key.ts) in this process at once. If daemons share a Redis, each
   * other daemon follows as soon as it reads the Redis stream. Never throws.
   */
  invalidate(topics: readonly string[]): void {
    this.invalidateHere(topics)
  }

  /** Invalidates all that this process has stored. Other daemons do not hear of it. */
  forgetHere(): void {
    this.#note(everything, { count: this.#advance(this.current.position) })
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  invalidateHere(topics: readonly string[]): number {
    const count = this.#advance(this.current.position)
    for (const topic of topics) this.#note(topic, { count, unreadOwnCount: count })
    return count
  }

  invalidateFromStream(topics: readonly string[], position: string): void {
    const count = this.#advance(position)
    for (const topic of topics) this.#note(topic, { count, position })
  }

  recordOwnPosition(topics: readonly string[], upTo: number, position: string): void {
    this.current = { ...this.current, position }
    const placed = (entry: LatestInvalidation): LatestInvalidation =>
      entry.unreadOwnCount > 0 && entry.unreadOwnCount <= upTo
        ? { ...entry, position, unreadOwnCount: 0 }
        : entry
    this.#everything = placed(this.#everything)
    for (const topic of topics.includes(everything) ? this.#topics.keys() : topics) {
      const entry = this.#topics.get(topic)
      if (entry !== undefined) this.#topics.set(topic, placed(entry))
    }
  }

  #advance(position: string): number {
    this.current = { count: this.current.count + 1, position }
    return this.current.count
  }

  #note(topic: string, change: Partial<LatestInvalidation>): void {
    const at = this.#clock.now()
    if (topic === everything) {
      // The map is cleared below, so the entry of everything takes over the largest `unreadOwnCount`.
      const unreadOwnCount = this.#topics
        .values()
        .reduce((latest, entry) => Math.max(latest, entry.unreadOwnCount), this.#everything.unreadOwnCount)
      this.#everything = { ...this.#everything, unreadOwnCount, ...change, at }
      this.#topics.clear()
      return
    }
    const entry = { ...(this.#topics.get(topic) ?? never), ...change, at }
    this.#topics.delete(topic)
    this.#topics.set(topic, entry)
    if (this.#topics.size > maxTopics) this.#forgetOldest()
  }

  /**
   * Merges the oldest entry into the entry of everything. The merged `at` makes `withholdsAbsence`
   * still answer true for the topic.
   */
  #forgetOldest(): void {
    const topic = this.#oldest.next().value as string
    const { count, position, unreadOwnCount, at } = this.#topics.get(topic) as LatestInvalidation
    this.#topics.delete(topic)
    this.#everything = {
      count: Math.max(count, this.#everything.count),
      position: isLaterId(position, this.#everything.position) ? position : this.#everything.position,
      unreadOwnCount: Math.max(unreadOwnCount, this.#everything.unreadOwnCount),
      at: Math.max(at, this.#everything.at),
    }
  }

  #reaching(key: string): LatestInvalidation[] {
    const { question, read } = topicsOf(key)
    const entries = [this.#everything]
    for (const topic of question === read ? [read] : [question, read]) {
      const found = this.#topics.get(topic)
      if (found !== undefined) entries.push(found)
    }
    return entries
  }
}

export function isLaterId(one: string, other: string): boolean {
  const [ms, order] = numbers(one)
  const [otherMs, otherOrder] = numbers(other)
  return ms === otherMs ? order > otherOrder : ms > otherMs
}

function numbers(id: string): [number, number] {
  const [ms, order] = id.split('-')
  return [Number(ms), Number(order ?? 0)]
}
