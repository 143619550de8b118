import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Electorate, Voter } from '../../src/quorum/electorate.ts'
import type { Reply } from '../../src/quorum/reply.ts'
import { decide } from '../../src/quorum/rules.ts'
import { oneIsEnough } from '../../src/quorum/tally.ts'
import type { Verdict } from '../../src/quorum/verdict.ts'
import { elections, fPlusOne, hearings, twoFPlusOne } from './elections.ts'

type Heard = readonly (Reply | undefined)[]

/** Whether a vote wins, counted without the code under test. */
function wins(
  { voters, superValidators, operators }: Electorate,
  heard: Heard,
  kind: string,
  vote: string,
): boolean {
  const companies: string[] = []
  let votes = 0
  heard.forEach((reply, voter) => {
    if (reply?.kind !== kind || (reply as { vote: string }).vote !== vote) return
    votes++
    const { operator } = voters[voter] as Voter
    if (!companies.includes(operator)) companies.push(operator)
  })
  return (
    votes >= superValidators.threshold && (operators === undefined || companies.length >= operators.threshold)
  )
}

const votes = { value: ['1', '2', '3', 'new'], refusal: ['404', '410', 'new'] } as const

function winners(electorate: Electorate, heard: Heard, kind: 'value' | 'refusal'): string[] {
  return votes[kind].filter((vote) => wins(electorate, heard, kind, vote))
}

/** Yields every way in which votes can take the places of the missing replies. */
function* futures(heard: Heard): Generator<Heard> {
  const next = heard.indexOf(undefined)
  if (next === -1) return yield heard
  const said: Reply[] = [
    ...votes.value.map((vote): Reply => ({ kind: 'value', vote })),
    ...votes.refusal.map((vote): Reply => ({ kind: 'refusal', vote })),
  ]
  for (const reply of said) yield* futures(heard.with(next, reply))
}

function filled(heard: Heard, isFilled: (reply: Reply | undefined) => boolean): Heard {
  return heard.map((reply) => (isFilled(reply) ? undefined : reply))
}

const someoneWins = (electorate: Electorate, heard: Heard) =>
  [...futures(heard)].some(
    (future) =>
      winners(electorate, future, 'value').length + winners(electorate, future, 'refusal').length > 0,
  )

const cases = elections({
  n: fc.integer({ min: 1, max: 6 }),
  rule: (n) => fc.oneof(fPlusOne(), twoFPlusOne(), fc.integer({ min: 1, max: n })),
  operators: true,
})
  .filter(({ electorate }) => !oneIsEnough(electorate))
  .chain(({ electorate }) => fc.tuple(fc.constant(electorate), hearings(electorate)))
  .filter(
    ([, heard]) => heard.filter((reply) => reply?.kind !== 'value' && reply?.kind !== 'refusal').length <= 4,
  )

test('verdicts are equal to those from trying every possible future', () => {
  fc.assert(
    fc.property(cases, ([electorate, heard]) => {
      const verdict = decide(electorate, heard, { agree: 'whole', patient: false })
      const now = winners(electorate, heard, 'value')
      const absent = winners(electorate, heard, 'refusal')
      const valueToCome = [...futures(heard)].some(
        (future) => winners(electorate, future, 'value').length > 0,
      )
      if (now.length === 1) expect(verdict).toMatchObject({ kind: 'agreed', on: 'value', vote: now[0] })
      else if (now.length > 1) expectLargest(verdict, heard, 'value')
      else if (absent.length === 1 && !valueToCome)
        expect(verdict).toMatchObject({ kind: 'agreed', on: 'refusal', vote: absent[0] })
      else if (absent.length > 1 && !valueToCome) expectLargest(verdict, heard, 'refusal')
      else if (someoneWins(electorate, heard)) expect(verdict).toBeUndefined()
      else expect(verdict).toMatchObject({ kind: failure(electorate, heard) })
    }),
    { numRuns: 600 },
  )
})

function expectLargest(verdict: Verdict | undefined, heard: Heard, kind: 'value' | 'refusal'): void {
  const sizes = votes[kind].map(
    (vote) => heard.filter((reply) => reply?.kind === kind && reply.vote === vote).length,
  )
  const most = Math.max(...sizes)
  if (sizes.indexOf(most) === sizes.lastIndexOf(most)) {
    expect(verdict).toMatchObject({ kind: 'agreed', on: kind, vote: votes[kind][sizes.indexOf(most)] })
  } else expect(verdict?.kind).toBe(heard.includes(undefined) ? undefined : 'disputed')
}

/**
 * Returns the reason why no vote wins:
 * - `unreachable`: a vote could win if the voters with faults had voted.
 * - `undecided`: a vote could win if the voters with faults and abstentions had voted.
 * - `disputed`: no vote could win even then.
 */
function failure(electorate: Electorate, heard: Heard): string {
  const isFault = (reply: Reply | undefined) => reply?.kind === 'fault'
  if (someoneWins(electorate, filled(heard, isFault))) return 'unreachable'
  const isMute = (reply: Reply | undefined) => isFault(reply) || reply?.kind === 'abstention'
  return someoneWins(electorate, filled(heard, isMute)) ? 'undecided' : 'disputed'
}
