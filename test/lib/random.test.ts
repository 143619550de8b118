import { expect, test } from 'vitest'
import { seededRandom, systemRandom } from '../../src/lib/random.ts'

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

test('neighbouring seeds give numbers that have nothing in common', () => {
  const [one, other] = [draws(1), draws(2)]
  expect(new Set([...one, ...other]).size).toBe(2_000)
})

test.each([0, 1, -1, 2 ** 31, 2 ** 40, 0.5])('numbers of seed %d are spread evenly over [0, 1)', (seed) => {
  const numbers = draws(seed, 10_000)
  const tenths = Array.from({ length: 10 }, () => 0)
  for (const number of numbers) {
    const tenth = Math.floor(number * 10)
    tenths[tenth] = (tenths[tenth] as number) + 1
  }
  expect(tenths).toHaveLength(10)
  for (const count of tenths) expect(count).toBeGreaterThan(850)
})

test('the system source is random', () => {
  expect(new Set(Array.from({ length: 100 }, systemRandom)).size).toBe(100)
})
