import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  beforeFirstEntry,
  everything,
  InvalidationLog,
  isLaterId,
} from '../../src/core/cache/invalidation-log.ts'
import { cacheKey, topic } from '../../src/core/cache/key.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { byName, keyOf, list, trust } from './samples.ts'

const alice = topic(byName, { name: 'alice' })
const bob = topic(byName, { name: 'bob' })
const keys = {
  [keyOf('alice')]: [alice, topic(byName)],
  [keyOf('bob')]: [bob, topic(byName)],
  [cacheKey(trust, list, {})]: [topic(list)],
}

const topics = fc.uniqueArray(fc.constantFrom(alice, bob, topic(byName), topic(list)), { minLength: 1 })
const step = fc.oneof(
  fc.record({ do: fc.constantFrom('invalidate' as const, 'hear' as const), topics }),
  fc.record({ do: fc.constantFrom('publish' as const, 'return' as const) }),
  fc.record({ do: fc.constant('all' as const) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 5_000, 10_000) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Event {
  readonly topics: readonly string[]
  readonly count: number
  readonly at: number
  /** Undefined while the stream lacks the event. */
  position: number | undefined
}

class Model {
  readonly clock = new ManualClock()
  readonly log = new InvalidationLog(this.clock)
  readonly #events: Event[] = []
  /**
   * Publications that have begun and not ended, oldest first. The topics in `#unpublished` wait for the next
   * publication.
   */
  readonly #underway: { readonly topics: readonly string[]; readonly upTo: number }[] = []
  readonly #unpublished = new Set<string>()
  /** Whether another process invalidated all topics while the stream lacked an invalidation of this process. */
  #isMerged = false
  #count = 0
  #position = 0

  take(step: Step): void {
    switch (step.do) {
      case 'invalidate':
        expect(this.log.invalidateHere(step.topics)).toBe(this.#note(step.topics, undefined))
        for (const topic of step.topics) this.#unpublished.add(topic)
        return
      case 'hear':
        this.log.invalidateFromStream(step.topics, `0-${++this.#position}`)
        this.#note(step.topics, this.#position)
        return
      case 'all':
        this.#isMerged ||= this.#events.some((event) => event.position === undefined)
        this.log.invalidateFromStream([everything], `0-${++this.#position}`)
        this.#note([everything], this.#position)
        return
      case 'publish':
        if (this.#unpublished.size > 0) {
          this.#underway.push({ topics: [...this.#unpublished], upTo: this.#count })
          this.#unpublished.clear()
        }
        return
      case 'return': {
        const [published] = this.#underway.splice(0, 1)
        if (published === undefined) return
        const { topics, upTo } = published
        this.log.recordOwnPosition(topics, upTo, `0-${++this.#position}`)
        for (const event of this.#events) if (event.count <= upTo) event.position ??= this.#position
        return
      }
      case 'wait':
        this.clock.advance(step.ms)
    }
  }

  check(): void {
    expect(this.log.current).toEqual({ count: this.#count, position: `0-${this.#position}` })
    for (const [key, reaching] of Object.entries(keys)) {
      const invalidated = this.#events.filter(({ topics }) =>
        topics.some((t) => t === everything || reaching.includes(t)),
      )
      for (let count = 0; count <= this.#count; count++) {
        const current = this.log.isCurrent(key, { count, position: beforeFirstEntry })
        expect(current).toBe(invalidated.every((event) => event.count <= count))
      }
      for (let position = 0; position <= this.#position; position++) {
        const adopted = this.log.localPointOf(key, `0-${position}`)
        const isKnown = invalidated.every(
          (event) => event.position !== undefined && event.position <= position,
        )
        if (adopted !== undefined) expect([adopted, isKnown]).toEqual([this.log.current, true])
        if (isKnown && this.#mustAdopt(position)) expect(adopted).toBe(this.log.current)
      }
      const since = this.clock.now() - 10_000
      expect(this.log.withholdsAbsence(key)).toBe(invalidated.some(({ at }) => at > since))
    }
  }

  /**
   * While `#isMerged` is true, the log must adopt only an answer that was stored at the last position, and only if the
   * stream has every event.
   */
  #mustAdopt(position: number): boolean {
    if (!this.#isMerged) return true
    return position === this.#position && this.#events.every((event) => event.position !== undefined)
  }

  #note(topics: readonly string[], position: number | undefined): number {
    this.#count += 1
    const at = this.clock.now()
    this.#events.push({ topics, count: this.#count, at, position })
    return this.#count
  }
}

test('a log of invalidations agrees with a model that remembers every invalidation', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const history = new Model()
      for (const step of steps) {
        history.take(step)
        history.check()
      }
    }),
    { numRuns: 300 },
  )
})

test('one id of a stream is later than another by its time, and of one time by its order', () => {
  const part = fc.oneof(fc.nat({ max: 12 }), fc.nat())
  fc.assert(
    fc.property(part, part, part, part, (ms, order, otherMs, otherOrder) => {
      const isAfter = ms > otherMs || (ms === otherMs && order > otherOrder)
      expect(isLaterId(`${ms}-${order}`, `${otherMs}-${otherOrder}`)).toBe(isAfter)
    }),
  )
})

describe('an invalidation', () => {
  test('reaches every key when a daemon writes the empty topic, whatever its release', () => {
    const log = new InvalidationLog(new ManualClock())
    const before = log.current
    log.invalidateFromStream([''], '3-0')
    expect(log.isCurrent(keyOf('alice'), before)).toBe(false)
  })

  test('is never taken for current again, however much is invalidated after it', () => {
    const log = new InvalidationLog(new ManualClock())
    const before = log.current
    const upTo = log.invalidateHere([alice])
    const first = log.current
    for (let invalidated = 0; invalidated < 10_001; invalidated++) {
      log.invalidateFromStream([topic(byName, { name: `name-${invalidated}` })], `${invalidated + 1}-0`)
    }
    expect(log.isCurrent(keyOf('alice'), before)).toBe(false)
    expect(log.isCurrent(keyOf('alice'), first)).toBe(false)
    expect(log.isCurrent(keyOf('bob'), before)).toBe(false)
    expect(log.isCurrent(keyOf('bob'), log.current)).toBe(true)
    expect(log.localPointOf(keyOf('bob'), '20000-0')).toBeUndefined()
    log.recordOwnPosition([alice], upTo, '20000-0')
    expect(log.localPointOf(keyOf('bob'), '20000-0')).toBeDefined()
    expect(log.localPointOf(keyOf('bob'), '19999-0')).toBeUndefined()
  })

  test('withholds absences for its 10 s, however much is invalidated after it', () => {
    const clock = new ManualClock()
    const log = new InvalidationLog(clock)
    const invalidateMany = () => {
      for (let invalidated = 0; invalidated < 10_000; invalidated++)
        log.invalidateHere([topic(byName, { name: `name-${invalidated}` })])
    }
    log.invalidateHere([alice])
    clock.advance(9_999)
    invalidateMany()
    expect(log.withholdsAbsence(keyOf('alice'))).toBe(true)
    clock.advance(1)
    expect(log.withholdsAbsence(keyOf('alice'))).toBe(false)

    log.invalidateHere([everything])
    clock.advance(10_000)
    log.invalidateHere([alice])
    invalidateMany()
    expect(log.withholdsAbsence(keyOf('alice'))).toBe(true)
    expect(log.withholdsAbsence(keyOf('name-0'))).toBe(true)
  })

  test('is forgotten with its place in the stream, from which on everything else is adopted', () => {
    const log = new InvalidationLog(new ManualClock())
    for (let invalidated = 1; invalidated <= 10_001; invalidated++) {
      log.invalidateFromStream([topic(byName, { name: `name-${invalidated}` })], `${invalidated}-0`)
    }
    expect(log.localPointOf(keyOf('bob'), '0-9')).toBeUndefined()
    expect(log.localPointOf(keyOf('bob'), '1-0')).toBeDefined()
    expect(log.localPointOf(keyOf('name-1'), '1-0')).toBeDefined()
    expect(log.localPointOf(keyOf('name-2'), '1-0')).toBeUndefined()
  })
})
