import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Electorate } from '../../src/core/quorum/electorate.ts'
import { longestPrefix, prefixCanWin } from '../../src/core/quorum/history.ts'
import { agreeOnItems, itemCanWin, versionsOf } from '../../src/core/quorum/items.ts'
import type { Item, Reply, Step } from '../../src/core/quorum/reply.ts'
import { meetThreshold } from '../../src/core/quorum/tally.ts'
import { elections, fPlusOne, replies, twoFPlusOne } from './elections.ts'

type Heard = readonly (Reply | undefined)[]

const electorates = elections({
  n: fc.integer({ min: 1, max: 7 }),
  rule: (n) => fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min: 1, max: n })),
  operators: true,
}).map(({ electorate }) => electorate)

function byVoter<T>(said: fc.Arbitrary<T>) {
  return electorates.chain((electorate) =>
    fc.tuple(
      fc.constant(electorate),
      fc.tuple(...electorate.voters.map(() => fc.option(said, { nil: undefined, freq: 4 }))),
    ),
  )
}

const item = fc.record<Item>({
  key: fc.constantFrom('k1', 'k2', 'k10'),
  vote: fc.constantFrom('b', 'a'),
  later: fc.constantFrom('', '2026', '2027'),
})
/**
 * A list may repeat an item, or contain two versions of an item. If lists give different times to one version, the time
 * in the first list counts.
 */
const lists: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(item, { maxLength: 5 })
      .map((items): Reply => ({ kind: 'value', vote: 'list', items })),
  },
  { weight: 1, arbitrary: replies },
)

interface Version {
  readonly item: Item
  readonly voters: readonly number[]
}

function versionsByHand(heard: Heard): readonly Version[] {
  const all = heard.flatMap((reply) => (reply?.kind === 'value' ? (reply.items ?? []) : []))
  const first = all.filter((item, at) => all.findIndex((other) => isSame(item, other)) === at)
  return first.map((item) => ({
    item,
    voters: heard.flatMap((reply, voter) => {
      const items = reply?.kind === 'value' ? (reply.items ?? []) : []
      return items.some((other) => isSame(item, other)) ? [voter] : []
    }),
  }))
}

function isSame(a: Item, b: Item): boolean {
  return a.key === b.key && a.vote === b.vote
}

function undecidedOf(heard: Heard): readonly number[] {
  return heard.flatMap((reply, voter) => (reply === undefined ? [voter] : []))
}

describe('items', () => {
  test('are counted once a voter and version, under their key', () => {
    fc.assert(
      fc.property(byVoter(lists), ([, heard]) => {
        const found = [...versionsOf(heard)].flatMap(([key, rivals]) => {
          for (const rival of rivals) expect(rival.key).toBe(key)
          return rivals.map(({ voters, ...item }) => ({ item, voters }))
        })
        const byId = (a: Version, b: Version) => (JSON.stringify(a.item) < JSON.stringify(b.item) ? -1 : 1)
        expect(found.sort(byId)).toEqual(versionsByHand(heard).toSorted(byId))
      }),
      { numRuns: 300 },
    )
  })

  test('are agreed in the order of their keys, each in its best winning version, and awaited while one that all honest hold can win', () => {
    fc.assert(
      fc.property(byVoter(lists), ([electorate, heard]) => {
        const undecided = undecidedOf(heard)
        expect(agreeOnItems(electorate, versionsOf(heard), undecided)).toEqual(
          agreedByHand(electorate, heard),
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('can win while enough voters may still list them', () => {
    fc.assert(
      fc.property(byVoter(lists), ([electorate, heard]) => {
        const joining = undecidedOf(heard)
        const can = versionsByHand(heard).some(({ voters }) =>
          meetThreshold(electorate, [...voters, ...joining]),
        )
        expect(itemCanWin(electorate, versionsOf(heard), joining)).toBe(can)
      }),
      { numRuns: 300 },
    )
  })
})

function agreedByHand(electorate: Electorate, heard: Heard) {
  const undecided = undecidedOf(heard)
  const everyHonest = electorate.voters.length - undecided.length - electorate.superValidators.f
  const versions = versionsByHand(heard)
  const isAwaited = ({ voters }: Version) =>
    !meetThreshold(electorate, voters) &&
    voters.length >= everyHonest &&
    meetThreshold(electorate, [...voters, ...undecided])
  if (versions.some(isAwaited)) return { kind: 'wait' }
  const winners = versions.filter(({ voters }) => meetThreshold(electorate, voters))
  if (winners.length === 0) return { kind: 'none' }
  // The winning version of an item is the latest by time. Among equally late versions, the version with most voters
  // wins, and then the first by name.
  const rank = ({ item, voters }: Version) =>
    `${item.later.padEnd(4)} ${voters.length} ${item.vote === 'a' ? 1 : 0}`
  const items = ['k1', 'k10', 'k2'].flatMap((key) => {
    const [best] = winners.filter(({ item }) => item.key === key).sort((a, b) => (rank(a) > rank(b) ? -1 : 1))
    return best === undefined ? [] : [{ key, vote: best.item.vote, voters: best.voters }]
  })
  return { kind: 'agreed', items }
}

const step = fc.record<Step>({ moment: fc.constantFrom('1', '2'), vote: fc.constantFrom('a', 'b') })
const histories = fc.oneof(
  fc.array(step, { maxLength: 3 }),
  fc.constantFrom<Step[]>(
    [{ moment: '1', vote: 'a' }],
    [
      { moment: '1', vote: 'a' },
      { moment: '2', vote: 'a' },
    ],
    [
      { moment: '1', vote: 'b' },
      { moment: '2', vote: 'a' },
    ],
  ),
)

describe('histories', () => {
  test('have the longest beginning that wins by voters that do not go on within its last moment, else that of more voters, else the first by its steps', () => {
    fc.assert(
      fc.property(byVoter(histories), ([electorate, said]) => {
        expect(longestPrefix(electorate, said)).toEqual(prefixByHand(electorate, said))
      }),
      { numRuns: 1000 },
    )
  })

  test('can win while enough voters may still give their first step', () => {
    fc.assert(
      fc.property(byVoter(histories), ([electorate, said]) => {
        const joining = said.flatMap((history, voter) => (history === undefined ? [voter] : []))
        const can = said.some((history) => {
          const carriers = carriersOf(said, history?.slice(0, 1) ?? [])
          return history?.[0] !== undefined && meetThreshold(electorate, [...carriers, ...joining])
        })
        expect(prefixCanWin(electorate, said, joining)).toBe(can)
      }),
      { numRuns: 300 },
    )
  })
})

type Histories = readonly (readonly Step[] | undefined)[]

function carriersOf(said: Histories, prefix: readonly Step[]): readonly number[] {
  const text = JSON.stringify(prefix)
  return said.flatMap((history, voter) =>
    history !== undefined && JSON.stringify(history.slice(0, prefix.length)) === text ? [voter] : [],
  )
}

function prefixByHand(electorate: Electorate, said: Histories) {
  const beginnings = said.flatMap((history) =>
    (history ?? []).map((_, at) => (history ?? []).slice(0, at + 1)),
  )
  const winning = beginnings
    .map((steps) => {
      const goesOn = (voter: number) => said[voter]?.[steps.length]?.moment === steps.at(-1)?.moment
      return { steps, voters: carriersOf(said, steps).filter((voter) => !goesOn(voter)) }
    })
    .filter(({ voters }) => meetThreshold(electorate, voters))
  const rank = ({ steps, voters }: (typeof winning)[number]) => 100 * steps.length + voters.length
  const textOf = ({ steps }: (typeof winning)[number]) =>
    steps.map(({ moment, vote }) => moment + vote).join()
  const [best] = winning.sort((a, b) => rank(b) - rank(a) || (textOf(a) < textOf(b) ? -1 : 1))
  return { length: best?.steps.length ?? 0, voters: best?.voters ?? carriersOf(said, []) }
}
