import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AdvancingClock } from '../../src/base/lib/advancing-clock.ts'
import { ManualClock } from '../support/manual-clock.ts'

function open() {
  const below = new ManualClock()
  return { below, clock: new AdvancingClock(below) }
}

describe('an advancing clock', () => {
  test('fires what became due, once and in order, at the time after the jump', () => {
    const { below, clock } = open()
    const fired: [string, number][] = []
    const start = clock.now()
    const told = (name: string) => () => fired.push([name, clock.now() - start])
    clock.after(300, told('late'))
    clock.after(100, told('early'))
    clock.after(100, told('as early, but set later'))
    clock.after(1001, told('not yet'))
    clock.advance(1000)
    expect(fired).toEqual([
      ['early', 1000],
      ['as early, but set later', 1000],
      ['late', 1000],
    ])
    below.advance(1)
    expect(fired.at(-1)).toEqual(['not yet', 1001])
    expect(below.waiting).toBe(0)
  })

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('does not move by %s', (ms) => {
    const { clock } = open()
    expect(() => clock.advance(ms)).toThrow(RangeError)
  })

  test('fires every timer exactly once, and never before its time, however time moves', () => {
    const moves = fc.array(fc.record({ jump: fc.boolean(), ms: fc.nat(500) }), { maxLength: 20 })
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { maxLength: 10 }), moves, (waits, steps) => {
        const { below, clock } = open()
        const start = clock.now()
        const firedAt = waits.map((): number[] => [])
        waits.forEach((ms, at) => {
          clock.after(ms, () => firedAt[at]?.push(clock.now() - start))
        })
        for (const { jump, ms } of steps) jump ? clock.advance(ms) : below.advance(ms)
        const passed = clock.now() - start
        waits.forEach((ms, at) => {
          const times = firedAt[at] ?? []
          // A timer of 0 ms does not fire before one of the two clocks has moved.
          if (ms > 0 || passed > 0) expect(times.length).toBe(ms <= passed ? 1 : 0)
          for (const time of times) expect(time).toBeGreaterThanOrEqual(ms)
        })
      }),
    )
  })
})
