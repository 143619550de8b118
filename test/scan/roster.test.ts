import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/base/lib/canonical-json.ts'
import { digest } from '../../src/base/lib/digest.ts'
import { isDrastic, type Member } from '../../src/core/scan/membership.ts'
import { Roster, rosterDecidingElectorate, type Trust } from '../../src/core/scan/roster.ts'

const trust: Trust = { scanType: 'bft', svNames: [], threshold: 'f+1', thresholds: {}, operators: {} }

function members(...hosts: [name: string, ...urls: string[]][]): Member[] {
  return hosts.map(([name, ...urls]) => ({ name, urls }))
}

function roster(given: readonly Member[], changed: Partial<Trust> = {}): Roster {
  return new Roster(
    { dso: 'DSO::12', synchronizer: 'global-domain::12', members: given },
    { ...trust, ...changed },
  )
}

const four = members(
  ['a', 'https://a.example'],
  ['b', 'https://b.example'],
  ['c', 'https://c.example'],
  ['d', 'https://d.example'],
)

describe('n counts names, not connections', () => {
  test.each(['https://A.example:443/api/scan/', 'https://a.example./', 'https://a.example../'])(
    'members that publish the same origin, as in %s, stay in n and have one vote together',
    (url) => {
      const made = roster([...four, ...members(['e', url])])
      expect(made.electorate().superValidators.n).toBe(5)
      expect(made.voters.map(({ names }) => names)).toEqual([['a', 'e'], ['b'], ['c'], ['d']])
    },
  )

  test('a member that lists the origins of all others shares its vote with one of them at the most', () => {
    const everywhere = four.flatMap(({ urls }) => urls)
    const names = (first: string) =>
      roster([...four, { name: 'liar', urls: [first, ...everywhere] }]).voters.map((voter) => voter.names)
    expect(names('https://0.example')).toEqual([['a'], ['b'], ['c'], ['d'], ['liar']])
    expect(names('https://a.example')).toEqual([['a', 'liar'], ['b'], ['c'], ['d']])
  })

  test('no list of URLs that one member publishes takes the vote of more than one other', () => {
    const urls = fc.subarray([...four.flatMap((member) => member.urls), 'https://own.example', 'nowhere'])
    fc.assert(
      fc.property(fc.shuffledSubarray(four), urls, fc.nat(4), (others, listed, at) => {
        const given = others.toSpliced(at, 0, { name: 'liar', urls: listed })
        const { voters } = roster(given)
        expect(voters.length).toBeGreaterThanOrEqual(others.length)
        expect(voters.flatMap(({ names }) => names).sort()).toEqual(given.map(({ name }) => name).sort())
        for (const { urls: own } of others) expect(voters.map(({ place }) => place?.url)).toContain(own[0])
      }),
    )
  })

  test('a member that lists the host of an operator is not taken for that operator', () => {
    const liar = { name: 'liar', urls: ['https://0.example', 'https://scan.acme.example'] }
    const { voters } = roster([...four, liar], { operators: { acme: ['.acme.example', 'a'] } })
    expect(voters.find(({ names }) => names[0] === 'liar')?.operator).toBe('super validator liar')
  })
})

describe('operators', () => {
  const operators = { acme: ['a', '.acme.example'], solo: ['d.example'], ghost: ['nobody'] }

  test('claim super validators by name, host and host suffix, and nobody else', () => {
    const made = roster(
      [...four, ...members(['e', 'https://scan.acme.example']), ...members(['f', 'https://notacme.example'])],
      {
        operators,
      },
    )
    const byName = Object.fromEntries(made.voters.map(({ names, operator }) => [names[0], operator]))
    expect(byName['a']).toBe(byName['e'])
    expect(new Set(Object.values(byName)).size).toBe(5)
    expect(made.electorate().operators).toEqual({ n: 5, f: 1, threshold: 2 })
    expect(made.unmatchedOperators).toEqual(['nobody'])
  })

  test('an operator that is called like a super validator is not mistaken for it', () => {
    const made = roster(four, { operators: { b: ['a'] } })
    expect(new Set(made.voters.map(({ operator }) => operator)).size).toBe(4)
  })

  test('on MainNet, 5 hosts of at least 3 companies have to agree', () => {
    const hosts = ['m1', 'm2', 'm3', 'c1', 'c2', 'd1', 'd2', 's1', 's2', 's3', 's4', 's5', 's6']
    const made = roster(
      hosts.map((name) => ({ name, urls: [`https://${name}.example`] })),
      { operators: { m: ['m1', 'm2', 'm3'], c: ['c1', 'c2'], d: ['d1', 'd2'] } },
    )
    expect(made.electorate().superValidators.threshold).toBe(5)
    expect(made.electorate().operators).toEqual({ n: 9, f: 2, threshold: 3 })
  })
})

describe('two daemons share answers exactly when their trust is equal', () => {
  const base = roster(four).trustDigest

  test('the order of members says nothing', () => {
    expect(roster([...four].reverse()).trustDigest).toBe(base)
  })

  test.each<[string, Roster]>([
    ['another DSO', new Roster({ dso: 'DSO::34', synchronizer: 'global-domain::12', members: four }, trust)],
    ['another synchronizer', new Roster({ dso: 'DSO::12', synchronizer: 'other::12', members: four }, trust)],
    ['one member less', roster(four.slice(1))],
    ['another threshold', roster(four, { threshold: 3 })],
    ["another read's threshold", roster(four, { thresholds: { listAnsEntries: 3 } })],
    ['another mode', roster(four, { scanType: 'bft-custom', svNames: ['a', 'b', 'c', 'd'] })],
    ['operators', roster(four, { operators: { acme: ['a', 'b'] } })],
  ])('%s is another trust', (_, other) => {
    expect(other.trustDigest).not.toBe(base)
  })

  test('a release that told a status with an answer shares none with one that does not', () => {
    const digestOf = (format: number) =>
      digest(
        canonicalJson({
          format,
          dso: 'DSO::12',
          synchronizer: 'global-domain::12',
          mode: 'bft',
          names: four.map(({ name }) => name),
          operators: {},
          thresholds: [[2, 0]],
        }),
      )
    expect(digestOf(3)).toBe(base)
    expect(digestOf(2)).not.toBe(base)
  })
})

test.each<[string, Roster, readonly object[]]>([
  ['f+1', roster(four), []],
  ['a number from f+1 to n', roster(four, { threshold: 2, thresholds: { getAnsRules: 4 } }), []],
  ['trust-single', roster(four.slice(3), { scanType: 'trust-single' }), []],
  [
    'one below f+1, and one above n',
    roster(four, { threshold: 1, thresholds: { getAnsRules: 5 } }),
    [
      { option: 'scanClient.threshold', threshold: 1, least: 2, voters: 4 },
      { option: 'scanClient.thresholds.getAnsRules', threshold: 5, least: 2, voters: 4 },
    ],
  ],
  [
    'one above the votes, where super validators share a vote',
    roster([...four.slice(0, 3), { name: 'shares', urls: four[0]?.urls ?? [] }], { threshold: 4 }),
    [{ option: 'scanClient.threshold', threshold: 4, least: 2, voters: 3 }],
  ],
])('a roster names the thresholds that are unsafe or out of reach: %s', (_, made, unsafe) => {
  expect(made.unsafeThresholds()).toEqual(unsafe)
})

test.each<[string, Roster, number]>([
  ['the usual threshold', roster(four, { threshold: 3 }), 3],
  ['all votes, if the threshold is above n', roster(four, { threshold: 9 }), 4],
  [
    'all votes, if super validators share votes and the threshold is above the votes',
    roster([...four.slice(0, 3), { name: 'shares', urls: four[0]?.urls ?? [] }], { threshold: 4 }),
    3,
  ],
  [
    'f+1, if the roster has fewer votes',
    roster(
      four.map(({ name }) => ({ name, urls: ['https://one.example'] })),
      { threshold: 4 },
    ),
    2,
  ],
])('a roster decides about itself with %s', (_, made, threshold) => {
  expect(rosterDecidingElectorate(made).superValidators.threshold).toBe(threshold)
})

describe('protection', () => {
  test.each<[string, Roster, boolean]>([
    ['f+1 of 4', roster(four), true],
    ['f = 0', roster(four.slice(1)), false],
    ['a number below f+1', roster(four, { threshold: 1 }), false],
    ['a number at f+1', roster(four, { threshold: 2 }), true],
    ['trust-single', roster(four.slice(3), { scanType: 'trust-single' }), false],
  ])('%s: %s', (_, made, isProtected) => {
    expect(made.isProtected()).toBe(isProtected)
  })
})

describe('a change of the roster is drastic', () => {
  const set = (given: readonly Member[]) => roster(given).membership
  const seven = 'abcdefg'.split('').map((name) => ({ name, urls: [`https://${name}.example`] }))

  test('when it lowers f', () => {
    expect(isDrastic(set(four), set(four.slice(1)))).toBe(true)
    expect(isDrastic(set(seven), set(seven.slice(1)))).toBe(true)
  })

  test('when it shares fewer than n - f members with the current one', () => {
    const replaced = (count: number) => [
      ...seven.slice(count),
      ...'xyz'
        .split('')
        .slice(0, count)
        .map((name) => ({ name, urls: [] })),
    ]
    expect(isDrastic(set(seven), set(replaced(2)))).toBe(false)
    expect(isDrastic(set(seven), set(replaced(3)))).toBe(true)
  })

  test('and not when a member joins', () => {
    expect(isDrastic(set(four), set(seven))).toBe(false)
  })
})
