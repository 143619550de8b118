import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/lib/random.ts'
import { type Electorate, electorateOf, type Voter } from '../../src/core/quorum/electorate.ts'
import { askingOrder, winningLength } from '../../src/core/quorum/plan.ts'
import { meetThreshold, operatorsOf } from '../../src/core/quorum/tally.ts'

/**
 * Each letter is the operator of one super validator. Thirteen super validators belong to nine operators, as on
 * MainNet.
 */
const companies = ['m', 'm', 'm', 'c', 'c', 'd', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const voters: Voter[] = companies.map((operator, at) => ({ names: [`sv-${at}`], operator }))
const equal = voters.map(() => 100)

function shares(electorate: Electorate, expectedMs: readonly number[], seed: number): number[] {
  const random = seededRandom(seed)
  const counts = electorate.voters.map(() => 0)
  for (let draw = 0; draw < 1_000; draw++) {
    const order = askingOrder(electorate, expectedMs, random)
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
    'every share of 1,000 first waves of equally fast voters is between half and twice the mean (seed %i)',
    (seed) => {
      const mean = (1_000 * size) / 13
      const within20Percent = voters.map((_, voter) => 100 + 1.6 * voter)
      for (const share of shares(electorate, within20Percent, seed)) {
        expect(share).toBeGreaterThan(mean / 2)
        expect(share).toBeLessThan(mean * 2)
      }
    },
  )

  test('every first wave is as small as it can be', () => {
    const random = seededRandom(7)
    for (let draw = 0; draw < 200; draw++) {
      const order = askingOrder(electorate, equal, random)
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
    const wave = askingOrder(electorate, equal, random).slice(0, 5)
    expect(operatorsOf(electorate, wave)).toBeGreaterThanOrEqual(3)
  }
})

test('voters that are expected to reply soonest are asked first', () => {
  const far = [280, 15, 220, 25, 180, 40, 160, 60, 140, 80, 120, 300, 100]
  const order = askingOrder(electorateOf(voters, 'f+1'), far, seededRandom(3))
  expect(order.slice(0, 5)).toEqual([1, 3, 5, 7, 9])
  expect(order.slice(-2).toSorted()).toEqual([0, 11])
})

test.each([
  ['20 %', 200, 240, 240.1],
  ['5 ms where that is more', 1, 6, 6.1],
])('voters within %s of the fastest of them are equally fast', (_, fastest, equal, slower) => {
  const electorate = electorateOf(voters.slice(0, 3), 'f+1')
  const firsts = new Set<string>()
  for (let seed = 0; seed < 40; seed++)
    firsts.add(askingOrder(electorate, [slower, equal, fastest], seededRandom(seed)).join())
  expect([...firsts].toSorted()).toEqual(['1,2,0', '2,1,0'])
})

test('a voter that cannot be asked is left out', () => {
  const some = voters.map((_, voter) => (voter === 3 || voter === 9 ? undefined : 100))
  const order = askingOrder(electorateOf(voters, 'f+1'), some, seededRandom(1))
  expect(order).toHaveLength(11)
  expect(order).not.toContain(3)
  expect(order).not.toContain(9)
})

test('no winning beginning has its last reply earlier, nor fewer voters, also with operators', () => {
  const cases = fc.tuple(
    fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 13, maxLength: 13 }),
    fc.boolean(),
    fc.nat(),
  )
  fc.assert(
    fc.property(cases, ([expectedMs, grouped, seed]) => {
      const electorate = electorateOf(voters, 'f+1', grouped ? 9 : undefined)
      const order = askingOrder(electorate, expectedMs, seededRandom(seed))
      const first = order.slice(0, winningLength(electorate, order))
      const lastMs = Math.max(...first.map((voter) => expectedMs[voter] as number))
      const fastest = [...voters.keys()].sort((a, b) => (expectedMs[a] as number) - (expectedMs[b] as number))
      const enough = [...fastest.keys()].find((at) =>
        meetThreshold(electorate, fastest.slice(0, at + 1)),
      ) as number
      const bestMs = expectedMs[fastest[enough] as number] as number
      expect(first.length).toBe(5)
      expect(lastMs).toBeLessThanOrEqual(bestMs + Math.max(5, 0.2 * bestMs))
    }),
  )
})

test('one seed gives one order, and another seed another', () => {
  const electorate = electorateOf(voters, 'f+1', 9)
  const draw = (seed: number) => askingOrder(electorate, equal, seededRandom(seed))
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
})

test('if no vote can win, the first wave is every voter that can be asked', () => {
  const electorate = electorateOf(voters, '2f+1')
  expect(winningLength(electorate, [4, 7])).toBe(2)
  expect(winningLength(electorate, [])).toBe(0)
})

test('if no voter can be asked, the first wave is empty', () => {
  const nobody = voters.map(() => undefined)
  expect(askingOrder(electorateOf(voters, 'f+1'), nobody, seededRandom(1))).toEqual([])
  expect(askingOrder(electorateOf(voters, 'f+1', 9), nobody, seededRandom(1))).toEqual([])
})

test('with operators only the first host of each operator that a win needs is drawn forward', () => {
  const cases = fc.tuple(
    fc.array(fc.option(fc.nat({ max: 300 }), { nil: undefined }), { minLength: 13, maxLength: 13 }),
    fc.nat(),
  )
  fc.assert(
    fc.property(cases, ([expectedMs, seed]) => {
      const drawn = askingOrder(electorateOf(voters, 'f+1'), expectedMs, seededRandom(seed))
      const operators = [...new Set(drawn.map((voter) => companies[voter]))].slice(0, 3)
      const first = operators.map((operator) => drawn.find((voter) => companies[voter] === operator))
      const rest = drawn.filter((voter) => !first.includes(voter))
      expect(askingOrder(electorateOf(voters, 'f+1', 9), expectedMs, seededRandom(seed))).toEqual([
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
      const lengths = [...order.keys()].filter((length) => meetThreshold(electorate, order.slice(0, length)))
      expect(winningLength(electorate, order)).toBe(lengths[0] ?? order.length)
    }),
    { numRuns: 300 },
  )
})
