import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everything, InvalidationLog, isLater } from '../../src/cache/invalidation-log.ts'
import { cacheKey, topic } from '../../src/cache/key.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { byName, keyOf, list, trust } from './samples.ts'

const alice = topic(byName, { name: 'alice' })

describe('what was invalidated', () => {
  test('makes outdated what was loaded before, and nothing that is loaded after', () => {
    const book = new InvalidationLog(new ManualClock())
    const before = book.current
    book.invalidateHere([alice])
    expect(book.isCurrent(keyOf('alice'), before)).toBe(false)
    expect(book.isCurrent(keyOf('alice'), book.current)).toBe(true)
    expect(book.isCurrent(keyOf('bob'), before)).toBe(true)
  })

  test('withholds absences of its keys for 10 s', () => {
    const clock = new ManualClock()
    const book = new InvalidationLog(clock)
    book.invalidateHere([alice, topic(list)])
    clock.advance(9_999)
    expect(book.withholdsAbsence(keyOf('alice'))).toBe(true)
    expect(book.withholdsAbsence(cacheKey(trust, list, { page_size: '10' }))).toBe(true)
    expect(book.withholdsAbsence(keyOf('bob'))).toBe(false)
    clock.advance(1)
    expect(book.withholdsAbsence(keyOf('alice'))).toBe(false)
  })

  test('elsewhere is adopted from its place in the stream on', () => {
    const book = new InvalidationLog(new ManualClock())
    book.invalidateFromStream([alice], '5-1')
    expect(book.adopt(keyOf('alice'), '5-0')).toBeUndefined()
    expect(book.adopt(keyOf('alice'), '5-1')).toBe(book.current)
    expect(book.adopt(keyOf('alice'), '10-0')).toBe(book.current)
    expect(book.adopt(keyOf('bob'), '0-0')).toBe(book.current)
  })

  test('here is adopted by nobody until the stream has it', () => {
    const book = new InvalidationLog(new ManualClock())
    const first = book.invalidateHere([alice])
    const second = book.invalidateHere([alice])
    book.invalidateFromStream([alice], '7-0')
    expect(book.adopt(keyOf('alice'), '9-0')).toBeUndefined()
    book.place([alice], first, '8-0')
    expect(book.adopt(keyOf('alice'), '9-0')).toBeUndefined()
    book.place([alice], second, '9-0')
    expect(book.adopt(keyOf('alice'), '8-9')).toBeUndefined()
    expect(book.adopt(keyOf('alice'), '9-0')).toBe(book.current)
  })

  test('reaches every key when everything was invalidated', () => {
    const book = new InvalidationLog(new ManualClock())
    const before = book.current
    book.invalidateFromStream([everything], '3-0')
    expect(book.isCurrent(keyOf('bob'), before)).toBe(false)
    expect(book.adopt(keyOf('bob'), '2-0')).toBeUndefined()
    expect(book.adopt(keyOf('bob'), '3-0')).toBeDefined()
    const own = book.invalidateHere([alice])
    expect(book.adopt(keyOf('alice'), '4-0')).toBeUndefined()
    book.place([everything], own, '5-0')
    expect(book.adopt(keyOf('alice'), '4-0')).toBeUndefined()
    expect(book.adopt(keyOf('alice'), '5-0')).toBeDefined()
  })

  test('reaches every key when a daemon writes the empty topic, whatever its release', () => {
    const book = new InvalidationLog(new ManualClock())
    const before = book.current
    book.invalidateFromStream([''], '3-0')
    expect(book.isCurrent(keyOf('alice'), before)).toBe(false)
  })

  test('is never taken for current again, however much is invalidated after it', () => {
    const book = new InvalidationLog(new ManualClock())
    const before = book.current
    const upTo = book.invalidateHere([alice])
    const first = book.current
    for (let invalidated = 0; invalidated < 10_001; invalidated++) {
      book.invalidateFromStream([topic(byName, { name: `name-${invalidated}` })], `${invalidated + 1}-0`)
    }
    expect(book.isCurrent(keyOf('alice'), before)).toBe(false)
    expect(book.isCurrent(keyOf('alice'), first)).toBe(false)
    expect(book.isCurrent(keyOf('bob'), before)).toBe(false)
    expect(book.isCurrent(keyOf('bob'), book.current)).toBe(true)
    expect(book.adopt(keyOf('bob'), '20000-0')).toBeUndefined()
    book.place([alice], upTo, '20000-0')
    expect(book.adopt(keyOf('bob'), '20000-0')).toBeDefined()
    expect(book.adopt(keyOf('bob'), '19999-0')).toBeUndefined()
  })

  test('is forgotten with its place in the stream, from which on everything else is adopted', () => {
    const book = new InvalidationLog(new ManualClock())
    for (let invalidated = 1; invalidated <= 10_001; invalidated++) {
      book.invalidateFromStream([topic(byName, { name: `name-${invalidated}` })], `${invalidated}-0`)
    }
    expect(book.adopt(keyOf('bob'), '0-9')).toBeUndefined()
    expect(book.adopt(keyOf('bob'), '1-0')).toBeDefined()
    expect(book.adopt(keyOf('name-1'), '1-0')).toBeDefined()
    expect(book.adopt(keyOf('name-2'), '1-0')).toBeUndefined()
  })
})

test('ids of a stream are compared as numbers, the milliseconds first', () => {
  const id = fc.record({ ms: fc.nat(2_000), order: fc.nat(20) })
  fc.assert(
    fc.property(id, id, (one, other) => {
      const later = one.ms * 100 + one.order > other.ms * 100 + other.order
      expect(isLater(`${one.ms}-${one.order}`, `${other.ms}-${other.order}`)).toBe(later)
    }),
  )
})
