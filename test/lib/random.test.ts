import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/lib/random.ts'

const draws = (seed: number, count = 1_000) => {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => random())
}

test('one seed gives the same numbers again, in every release', () => {
  expect(draws(42)).toEqual(draws(42))
  expect(draws(42, 3).map((number) => number * 2 ** 32)).toMatchInlineSnapshot(`
    [
      2887583565,
      2293090523,
      2716497665,
    ]
  `)
})
