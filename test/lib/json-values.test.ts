import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasMoreValues } from '../../src/base/lib/parse-json-text.ts'

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((count: number, each) => count + valuesIn(each), 1)
}

test('a text with too many values is always found, and a text with half as many never is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 40 }), (value, most) => {
      const text = JSON.stringify(value)
      const count = valuesIn(value)
      if (count > most) expect(hasMoreValues(text, most)).toBe(true)
      if (2 * count < most) expect(hasMoreValues(text, most)).toBe(false)
    }),
  )
})

test('strings are not counted', () => {
  const text = JSON.stringify({ a: ',,,,[[[[{{{{"\\', '"\\\\",,,,': '\\"[[[[[[' })
  expect(hasMoreValues(text, 4)).toBe(false)
})
