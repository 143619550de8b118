import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tolerated } from '../../src/base/lib/threshold.ts'
import { type Electorate, electorateOf } from '../../src/core/quorum/electorate.ts'
import { hasHonest, meetThreshold, oneIsEnough } from '../../src/core/quorum/tally.ts'
import { elections, fPlusOne, plainVoters, twoFPlusOne } from './elections.ts'

const anyElection = elections({
  rule: (n) => fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min: 1, max: n + 1 })),
  operators: true,
  sharedOrigins: true,
})

test.each([
  ['1', 1, 0, 1, 1],
  ['2', 2, 0, 1, 1],
  ['3', 3, 0, 1, 2],
  ['4', 4, 1, 2, 3],
  ['5', 5, 1, 2, 4],
  ['6', 6, 1, 2, 4],
  ['7', 7, 2, 3, 5],
  ['13', 13, 4, 5, 9],
  ['16', 16, 5, 6, 11],
])(
  '%s super validators tolerate as many faults, and win with as many votes, as the rule book says',
  (_, n, f, one, two) => {
    expect(electorateOf(plainVoters(n), 'f+1').superValidators).toEqual({ n, f, threshold: one })
    // `2f+1` means ceil((n + f + 1) / 2), which is 2 for two super validators. The table has 2f+1 itself, which is 1
    // there.
    expect(electorateOf(plainVoters(n), '2f+1').superValidators).toEqual({
      n,
      f,
      threshold: Math.max(two, Math.ceil((n + f + 1) / 2)),
    })
    expect(electorateOf(plainVoters(n), n + 1).superValidators).toEqual({ n, f, threshold: n + 1 })
  },
)

test.each([
  [2, 2],
  [3, 2],
  [4, 2],
  [7, 3],
  [13, 5],
])('of %s super validators any %s have an honest one among them, and fewer may not', (n, least) => {
  for (const rule of ['f+1', '2f+1', 1] as const) {
    const electorate = electorateOf(plainVoters(n), rule)
    const group = Array.from({ length: least }, (_, at) => at)
    expect(hasHonest(electorate, group)).toBe(true)
    expect(hasHonest(electorate, group.slice(1))).toBe(false)
  }
})

test('super validators of f operators may all be faulty, however many they are', () => {
  const voters = plainVoters(13).map((voter, at) => (at < 6 ? { ...voter, operator: `o-${at % 2}` } : voter))
  const electorate = electorateOf(voters, 'f+1', 9)
  expect(hasHonest(electorate, [0, 1, 2, 3, 4, 5])).toBe(false)
  expect(hasHonest(electorate, [0, 1, 2, 3, 6])).toBe(true)
})

test('an empty electorate tolerates no fault', () => {
  expect(tolerated(0)).toBe(0)
})

test('operators have the threshold of the rule for their own number, and f+1 where the rule is a number', () => {
  expect(electorateOf(plainVoters(13), 'f+1', 9).operators).toEqual({ n: 9, f: 2, threshold: 3 })
  expect(electorateOf(plainVoters(13), '2f+1', 9).operators).toEqual({ n: 9, f: 2, threshold: 6 })
  expect(electorateOf(plainVoters(13), 7, 9).operators).toEqual({ n: 9, f: 2, threshold: 3 })
  expect(electorateOf(plainVoters(13), 'f+1')).not.toHaveProperty('operators')
})

test('a group wins exactly when its votes, and its operators where these are counted, are enough', () => {
  const cases = anyElection.chain(({ electorate }) =>
    fc.tuple(fc.constant(electorate), fc.array(fc.nat({ max: 2 }), { minLength: 16, maxLength: 16 })),
  )
  fc.assert(
    fc.property(cases, ([electorate, places]) => {
      const inPlace = (place: number) =>
        [...electorate.voters.keys()].filter((voter) => places[voter] === place)
      const [one, other] = [inPlace(0), inPlace(1)]
      expect(meetThreshold(electorate, one, other)).toBe(isEnough(electorate, [...one, ...other]))
      expect(meetThreshold(electorate, one)).toBe(isEnough(electorate, one))
    }),
    { numRuns: 500 },
  )
})

function isEnough({ voters, superValidators, operators }: Electorate, group: readonly number[]): boolean {
  const companies = voters.filter((_, voter) => group.includes(voter)).map(({ operator }) => operator)
  const enoughOperators = operators === undefined || new Set(companies).size >= operators.threshold
  return group.length >= superValidators.threshold && enoughOperators
}

test('one is enough where there are several voters and one vote wins', () => {
  fc.assert(
    fc.property(anyElection, ({ electorate }) => {
      const { voters, superValidators, operators } = electorate
      const isLow = superValidators.threshold === 1 && (operators?.threshold ?? 1) === 1
      expect(oneIsEnough(electorate)).toBe(voters.length > 1 && isLow)
    }),
    { numRuns: 500 },
  )
})
