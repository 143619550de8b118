import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everything, InvalidationLog, isLaterId } from '../../src/cache/invalidation-log.ts'
import { cacheKey, topic } from '../../src/cache/key.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { byName, keyOf, list, trust } from './samples.ts'

const alice = topic(byName, { name: 'alice' })

describe('an invalidation', () => {
  test('makes outdated what was loaded before, and nothing that is loaded after', () => {
    const log = new InvalidationLog(new ManualClock())
    const before = log.current
    log.invalidateHere([alice])
    expect(log.isCurrent(keyOf('alice'), before)).toBe(false)
    expect(log.isCurrent(keyOf('alice'), log.current)).toBe(true)
    expect(log.isCurrent(keyOf('bob'), before)).toBe(true)
  })

  test('withholds absences of its keys for 10 s', () => {
    const clock = new ManualClock()
    const log = new InvalidationLog(clock)
    log.invalidateHere([alice, topic(list)])
    clock.advance(9_999)
    expect(log.withholdsAbsence(keyOf('alice'))).toBe(true)
    expect(log.withholdsAbsence(cacheKey(trust, list, { page_size: '10' }))).toBe(true)
    expect(log.withholdsAbsence(keyOf('bob'))).toBe(false)
    clock.advance(1)
    expect(log.withholdsAbsence(keyOf('alice'))).toBe(false)
  })

  test('elsewhere is adopted from its place in the stream on', () => {
    const log = new InvalidationLog(new ManualClock())
    log.invalidateFromStream([alice], '5-1')
    expect(log.localPointOf(keyOf('alice'), '5-0')).toBeUndefined()
    expect(log.localPointOf(keyOf('alice'), '5-1')).toBe(log.current)
    expect(log.localPointOf(keyOf('alice'), '10-0')).toBe(log.current)
    expect(log.localPointOf(keyOf('bob'), '0-0')).toBe(log.current)
  })

  test('by this process is adopted only when the stream has it', () => {
    const log = new InvalidationLog(new ManualClock())
    const first = log.invalidateHere([alice])
    const second = log.invalidateHere([alice])
    log.invalidateFromStream([alice], '7-0')
    expect(log.localPointOf(keyOf('alice'), '9-0')).toBeUndefined()
    log.recordOwnPosition([alice], first, '8-0')
    expect(log.localPointOf(keyOf('alice'), '9-0')).toBeUndefined()
    log.recordOwnPosition([alice], second, '9-0')
    expect(log.localPointOf(keyOf('alice'), '8-9')).toBeUndefined()
    expect(log.localPointOf(keyOf('alice'), '9-0')).toBe(log.current)
  })

  test('reaches every key when everything was invalidated', () => {
    const log = new InvalidationLog(new ManualClock())
    const before = log.current
    log.invalidateFromStream([everything], '3-0')
    expect(log.isCurrent(keyOf('bob'), before)).toBe(false)
    expect(log.localPointOf(keyOf('bob'), '2-0')).toBeUndefined()
    expect(log.localPointOf(keyOf('bob'), '3-0')).toBeDefined()
    const own = log.invalidateHere([alice])
    expect(log.localPointOf(keyOf('alice'), '4-0')).toBeUndefined()
    log.recordOwnPosition([everything], own, '5-0')
    expect(log.localPointOf(keyOf('alice'), '4-0')).toBeUndefined()
    expect(log.localPointOf(keyOf('alice'), '5-0')).toBeDefined()
  })

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

test('ids of a stream are compared as numbers, the milliseconds first', () => {
  const id = fc.record({ ms: fc.nat(2_000), order: fc.nat(20) })
  fc.assert(
    fc.property(id, id, (one, other) => {
      const later = one.ms * 100 + one.order > other.ms * 100 + other.order
      expect(isLaterId(`${one.ms}-${one.order}`, `${other.ms}-${other.order}`)).toBe(later)
    }),
  )
})
