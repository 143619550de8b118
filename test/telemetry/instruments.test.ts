import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedLabel, Counter, Family, Histogram } from '../../src/telemetry/instruments.ts'

test('a histogram counts each value in the first bucket that holds it', () => {
  const bounds = fc.uniqueArray(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 20 })
  const values = fc.array(fc.double({ min: 0, max: 200, noNaN: true }))
  fc.assert(
    fc.property(bounds, values, (unordered, observed) => {
      const ascending = unordered.toSorted((a, b) => a - b)
      const histogram = new Histogram(ascending)
      for (const value of observed) histogram.observe(value)
      let below = 0
      ascending.forEach((bound, index) => {
        below += histogram.counts[index] ?? Number.NaN
        expect(below).toBe(observed.filter((value) => value <= bound).length)
      })
      expect(histogram.counts.reduce((all, count) => all + count)).toBe(observed.length)
      expect(histogram.sum).toBeCloseTo(observed.reduce((sum, value) => sum + value, 0))
    }),
  )
})

test('a histogram ignores values that are no sizes', () => {
  const histogram = new Histogram([1])
  for (const value of [Number.NaN, Infinity, -1]) histogram.observe(value)
  expect([...histogram.counts, histogram.sum]).toEqual([0, 0, 0])
})

test('a family gives the same cell for the same labels, in whatever order they are given', () => {
  const values = new BoundedLabel(['x', 'y'])
  const family = new Family({ a: values, b: values }, () => new Counter())
  expect(family.with({ a: 'x', b: 'y' })).toBe(family.with({ b: 'y', a: 'x' }))
  expect(family.with({ a: 'x', b: 'y' })).not.toBe(family.with({ a: 'y', b: 'x' }))
})

test('a family with too many combinations counts the rest together', () => {
  const many = new BoundedLabel(Array.from({ length: 100 }, (_, index) => String(index)))
  const family = new Family({ a: many, b: many }, () => new Counter(), 10)
  for (const a of many) family.with({ a, b: '1' }).inc()
  const children = [...family.children]
  expect(children).toHaveLength(11)
  expect(children.at(-1)).toMatchObject({ labels: { a: 'other', b: 'other' }, cell: { value: 90 } })
})
