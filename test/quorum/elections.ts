import fc from 'fast-check'
import type { ThresholdRule } from '../../src/base/lib/threshold.ts'
import { type Electorate, electorateOf, type Voter } from '../../src/core/quorum/electorate.ts'
import type { Item, Reply } from '../../src/core/quorum/reply.ts'

/**
 * An electorate with honest and faulty voters. A faulty voter may reply anything. At most f super validators are
 * faulty.
 */
export interface Election {
  readonly electorate: Electorate
  readonly honest: readonly number[]
  readonly faulty: readonly number[]
}

export interface Shape {
  readonly n?: fc.Arbitrary<number>
  readonly rule: (n: number, f: number) => fc.Arbitrary<ThresholdRule>
  readonly operators?: boolean
  readonly sharedOrigins?: boolean
  /**
   * Whether the faulty super validators also belong to few operators: at most f, computed from the number of operators.
   */
  readonly fewOperatorsFail?: boolean
}

export function plainVoters(n: number): Voter[] {
  return Array.from({ length: n }, (_, at) => ({ names: [`sv-${at}`], operator: `sv-${at}` }))
}

export const fPlusOne = () => fc.constant<ThresholdRule>('f+1')
export const twoFPlusOne = () => fc.constant<ThresholdRule>('2f+1')
export const upToHonest = (n: number, f: number) => numbers(1, n - f)
/** Generates thresholds that the honest super validators can meet alone, and the faulty super validators cannot. */
export const safeUpToHonest = (n: number, f: number) => numbers(f + 1, n - f)

function numbers(min: number, max: number): fc.Arbitrary<ThresholdRule> {
  return fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min, max }))
}

export function elections(shape: Shape): fc.Arbitrary<Election> {
  const { n = fc.integer({ min: 1, max: 16 }), rule, operators, sharedOrigins, fewOperatorsFail } = shape
  return n.chain((size) => {
    const f = third(size)
    return fc
      .record({
        rule: rule(size, f),
        seats: fc.array(fc.nat({ max: 5 }), { minLength: size, maxLength: size }),
        grouped: operators === true ? fc.boolean() : fc.constant(false),
        origins: fc.array(fc.nat({ max: 3 * size }), { minLength: size, maxLength: size }),
        suspects: fc.oneof(subsetOf(size, f, f), subsetOf(size, 0, f)),
      })
      .map(({ rule, seats, grouped, origins, suspects }) => {
        const roster = seats.map((seat, index) => ({
          name: `sv-${String(index).padStart(2, '0')}`,
          operator: `operator ${seat === 0 ? `of ${index}` : seat}`,
          origin: sharedOrigins === true ? origins[index] : index,
        }))
        const voters = votersOf(roster)
        const distinct = new Set(roster.map((member) => member.operator)).size
        const electorate = electorateOf(voters, rule, grouped ? distinct : undefined)
        const faulty = withinBounds(
          electorate,
          suspects.map((index) => voterOf(voters, index)),
          grouped && fewOperatorsFail === true ? third(distinct) : Number.POSITIVE_INFINITY,
        )
        const honest = [...voters.keys()].filter((voter) => !faulty.includes(voter))
        return { electorate, honest, faulty }
      })
  })
}

function subsetOf(size: number, minLength: number, maxLength: number) {
  return fc.shuffledSubarray([...Array(size).keys()], { minLength, maxLength })
}

function third(n: number): number {
  let f = 0
  while (3 * (f + 1) < n) f++
  return f
}

function votersOf(roster: readonly { name: string; operator: string; origin: unknown }[]): readonly Voter[] {
  return [...Map.groupBy(roster, ({ origin }) => origin).values()].map((members) => ({
    names: members.map(({ name }) => name),
    operator: (members[0] as { operator: string }).operator,
  }))
}

function voterOf(voters: readonly Voter[], index: number): number {
  return voters.findIndex(({ names }) => names.includes(`sv-${String(index).padStart(2, '0')}`))
}

function withinBounds(
  { voters }: Electorate,
  suspects: readonly number[],
  maxOperators: number,
): readonly number[] {
  const faulty: number[] = []
  const maxNames = third(voters.reduce((sum, { names }) => sum + names.length, 0))
  for (const voter of new Set(suspects)) {
    const all = [...faulty, voter].map((index) => voters[index] as Voter)
    const names = all.reduce((sum, member) => sum + member.names.length, 0)
    const operators = new Set(all.map((member) => member.operator)).size
    if (names <= maxNames && operators <= maxOperators) faulty.push(voter)
  }
  return faulty
}

/** Generates replies without items and steps. There are few different votes, so that several liars often agree. */
export const replies: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom('1', '2', '3').map((vote): Reply => ({ kind: 'value', vote, rank: `rank ${vote}` })),
  fc.constantFrom('404', '410').map((vote): Reply => ({ kind: 'refusal', vote })),
  fc.constant<Reply>({ kind: 'abstention', reason: 'starting' }),
  fc.constantFrom<Reply[]>({ kind: 'fault', fault: 'timeout' }, { kind: 'fault', fault: 'server-error' }),
)

export function hearings(electorate: Electorate, said: fc.Arbitrary<Reply> = replies) {
  return fc.tuple(...electorate.voters.map(() => fc.option(said, { nil: undefined, freq: 3 })))
}

export function fullHearings(electorate: Electorate, said: fc.Arbitrary<Reply> = replies) {
  return fc.tuple(...electorate.voters.map(() => said))
}

/**
 * Makes a list of these items. Lists with the same items have the same vote, whatever the order of the items. Among
 * items with the same key, the last counts.
 */
export function listOf(items: readonly Item[]): Reply {
  const sorted = [...new Map(items.map((item) => [item.key, item])).values()].sort((a, b) =>
    a.key < b.key ? -1 : 1,
  )
  return { kind: 'value', vote: sorted.map(({ key, vote }) => `${key}=${vote}`).join(' '), items: sorted }
}

const item = fc
  .tuple(fc.constantFrom('k1', 'k2', 'k3', 'k4'), fc.constantFrom('2026', '2027'))
  .map(([key, vote]): Item => ({ key, vote, later: vote }))

/**
 * Generates the lists of honest super validators. All lists contain `always`. Some lists contain more items, because
 * their super validators are less far behind.
 */
export function listsWith(always: readonly Item[]): fc.Arbitrary<Reply> {
  return fc.array(item, { maxLength: 4 }).map((more) => listOf([...more, ...always]))
}

export function historyOf(votes: readonly string[]): Reply {
  const steps = votes.map((vote, moment) => ({ vote, moment: String(moment) }))
  return { kind: 'value', vote: `history ${votes.join(' ')}`, steps }
}

/**
 * Most of these replies are beginnings of one history, as honest super validators give them. The others are arbitrary
 * histories or have no history.
 */
export const historyReplies: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.nat({ max: 4 }).map((length) => historyOf(['a', 'b', 'c', 'd'].slice(0, length))),
  },
  { weight: 2, arbitrary: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }).map(historyOf) },
  replies,
)

export const listReplies: fc.Arbitrary<Reply> = fc.oneof({ weight: 3, arbitrary: listsWith([]) }, replies)
