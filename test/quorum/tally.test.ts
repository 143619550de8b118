import fc from 'fast-check'
import { expect, test } from 'vitest'
import { electorateOf } from '../../src/core/quorum/electorate.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import { firstVote, tally, type VoteGroup } from '../../src/core/quorum/tally.ts'
import { elections, fPlusOne, hearings } from './elections.ts'

/**
 * Values and refusals have votes with the same names here, because the tally must tell the votes apart by their kind.
 */
const said: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom('1', '2', '3').map((vote): Reply => ({ kind: 'value', vote, rank: 'r' })),
  fc.constantFrom('4', '5').map((vote): Reply => ({ kind: 'value', vote })),
  fc.constantFrom('1', '2', '3').map((vote): Reply => ({ kind: 'refusal', vote })),
  fc.constant<Reply>({ kind: 'abstention', reason: 'starting' }),
  fc.constant<Reply>({ kind: 'fault', fault: 'timeout' }),
)

function countedByHand(
  heard: readonly (Reply | undefined)[],
  kind: 'value' | 'refusal',
): readonly VoteGroup[] {
  const votes = new Set(heard.flatMap((reply) => (reply?.kind === kind ? [reply.vote] : [])))
  const groups = [...votes].map((vote): VoteGroup => {
    const members = votersWho(heard, (reply) => reply?.kind === kind && reply.vote === vote)
    return { kind, vote, rank: kind === 'value' && Number(vote) < 4 ? 'r' : '', members }
  })
  return groups.sort((a, b) => b.members.length - a.members.length || Number(a.vote) - Number(b.vote))
}

function votersWho(
  heard: readonly (Reply | undefined)[],
  test: (reply: Reply | undefined) => boolean,
): number[] {
  return heard.flatMap((reply, voter) => (test(reply) ? [voter] : []))
}

test('a tally has every voter in one place, and the largest groups first, by vote where they are as large', () => {
  const cases = elections({ rule: fPlusOne }).chain(({ electorate }) =>
    fc.tuple(fc.constant(electorate), hearings(electorate, said)),
  )
  fc.assert(
    fc.property(cases, ([electorate, heard]) => {
      expect(tally(electorate, heard)).toEqual({
        values: countedByHand(heard, 'value'),
        refusals: countedByHand(heard, 'refusal'),
        abstained: votersWho(heard, (reply) => reply?.kind === 'abstention'),
        faulted: votersWho(heard, (reply) => reply?.kind === 'fault'),
        undecided: votersWho(heard, (reply) => reply === undefined),
      })
    }),
    { numRuns: 500 },
  )
})

test('a voter without a reply is undecided, also if the list of replies is short', () => {
  const electorate = electorateOf(
    [
      { names: ['a'], operator: 'a' },
      { names: ['b'], operator: 'b' },
    ],
    'f+1',
  )
  expect(tally(electorate, [{ kind: 'value', vote: '1' }]).undecided).toEqual([1])
})

test("a voter's vote is the first of its replies that is a value or a refusal", () => {
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 6 }), (replies) => {
      const [last] = replies.slice(-1)
      const vote = replies.find(({ kind }) => kind === 'value' || kind === 'refusal')
      const heard = replies.reduce<Reply | undefined>(
        (earlier, later) => firstVote(earlier, later),
        undefined,
      )
      expect(heard).toBe(vote ?? last)
    }),
  )
})
