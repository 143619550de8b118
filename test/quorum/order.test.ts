import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import { drawOrder, winningLength } from '../../src/quorum/draw.ts'
import { type Electorate, electorateOf, meets, operatorsOf, type Voter } from '../../src/quorum/electorate.ts'

/** Thirteen hosts of nine operators, as on MainNet. */
const companies = ['m', 'm', 'm', 'c', 'c', 'd', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const voters: Voter[] = companies.map((operator, at) => ({ names: [`sv-${at}`], operator }))
const equal = voters.map(() => 1)

/** How often each voter was in the first wave of 1,000 draws. */
function shares(electorate: Electorate, weights: readonly number[], seed: number): number[] {
  const random = seededRandom(seed)
  const counts = electorate.voters.map(() => 0)
  for (let draw = 0; draw < 1_000; draw++) {
    const order = drawOrder(electorate, weights, random)
    for (const voter of order.slice(0, winningLength(electorate, order)))
      counts[voter] = (counts[voter] ?? 0) + 1
  }
  return counts
}

describe.each([
  ['f+1', electorateOf(voters, 'f+1'), 5],
  ['2f+1', electorateOf(voters, '2f+1'), 9],
  ['f+1 of hosts and of operators', electorateOf(voters, 'f+1', 9), 5],
  ['2f+1 of hosts and of operators', electorateOf(voters, '2f+1', 9), 9],
  ['a number of hosts and f+1 of operators', electorateOf(voters, 3, 9), 3],
] as const)('with %s', (_, electorate, size) => {
  test.each([1, 2, 3])(
    'every share of 1,000 first waves is between half and twice the mean (seed %i)',
    (seed) => {
      const mean = (1_000 * size) / 13
      for (const share of shares(electorate, equal, seed)) {
        expect(share).toBeGreaterThan(mean / 2)
        expect(share).toBeLessThan(mean * 2)
      }
    },
  )

  test('every first wave is as small as it can be', () => {
    const random = seededRandom(7)
    for (let draw = 0; draw < 200; draw++) {
      const order = drawOrder(electorate, equal, random)
      expect(winningLength(electorate, order)).toBe(size)
      expect(order.toSorted((a, b) => a - b)).toEqual([...voters.keys()])
    }
  })
})

test('a first wave of five takes hosts of at least three operators', () => {
  const electorate = electorateOf(voters, 'f+1', 9)
  expect(electorate).toMatchObject({ superValidators: { threshold: 5 }, operators: { threshold: 3 } })
  const random = seededRandom(5)
  for (let draw = 0; draw < 200; draw++) {
    const wave = drawOrder(electorate, equal, random).slice(0, 5)
    expect(operatorsOf(electorate, wave)).toBeGreaterThanOrEqual(3)
  }
})

test('a voter of twice the weight is drawn more often, and no other is starved', () => {
  const weights = equal.with(12, 2)
  const counts = shares(electorateOf(voters, 'f+1'), weights, 11)
  const others = counts.slice(0, 12)
  expect(counts[12]).toBeGreaterThan(Math.max(...others))
  expect(Math.min(...others)).toBeGreaterThan(250)
})

test('a voter without weight is not drawn', () => {
  const order = drawOrder(electorateOf(voters, 'f+1'), equal.with(3, 0).with(9, 0), seededRandom(1))
  expect(order).toHaveLength(11)
  expect(order).not.toContain(3)
  expect(order).not.toContain(9)
})

test('one seed gives one order, and another seed another', () => {
  const electorate = electorateOf(voters, 'f+1', 9)
  const draw = (seed: number) => drawOrder(electorate, equal, seededRandom(seed))
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
})

test('where nobody can win everyone that can be asked is the first wave', () => {
  const electorate = electorateOf(voters, '2f+1')
  expect(winningLength(electorate, [4, 7])).toBe(2)
  expect(winningLength(electorate, [])).toBe(0)
})

test('nobody is drawn where nobody can be asked', () => {
  const nobody = voters.map(() => 0)
  expect(drawOrder(electorateOf(voters, 'f+1'), nobody, seededRandom(1))).toEqual([])
  expect(drawOrder(electorateOf(voters, 'f+1', 9), nobody, seededRandom(1))).toEqual([])
})

test('voters that draw the same number stay in the order of the roster', () => {
  expect(drawOrder(electorateOf(voters, 'f+1'), equal, () => 0.5)).toEqual([...voters.keys()])
})

test('with operators only the first host of each operator that a win needs is drawn forward', () => {
  const cases = fc.tuple(fc.array(fc.nat({ max: 3 }), { minLength: 13, maxLength: 13 }), fc.nat())
  fc.assert(
    fc.property(cases, ([weights, seed]) => {
      const drawn = drawOrder(electorateOf(voters, 'f+1'), weights, seededRandom(seed))
      const operators = [...new Set(drawn.map((voter) => companies[voter]))].slice(0, 3)
      const first = operators.map((operator) => drawn.find((voter) => companies[voter] === operator))
      const rest = drawn.filter((voter) => !first.includes(voter))
      expect(drawOrder(electorateOf(voters, 'f+1', 9), weights, seededRandom(seed))).toEqual([
        ...first,
        ...rest,
      ])
    }),
  )
})

test('a first wave is the shortest beginning that wins, or everyone', () => {
  const cases = fc.tuple(
    fc.integer({ min: 1, max: 14 }),
    fc.boolean(),
    fc.shuffledSubarray([...voters.keys()]),
  )
  fc.assert(
    fc.property(cases, ([threshold, grouped, order]) => {
      const electorate = electorateOf(voters, threshold, grouped ? 9 : undefined)
      const lengths = [...order.keys()].filter((length) => meets(electorate, order.slice(0, length)))
      expect(winningLength(electorate, order)).toBe(lengths[0] ?? order.length)
    }),
    { numRuns: 300 },
  )
})
