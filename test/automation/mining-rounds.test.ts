import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideRounds } from '../../src/automation/mining-rounds.ts'
import { OpenMiningRound, type OpenMiningRoundArgument } from '../../src/ledger/daml/splice/round.ts'
import { microsOf } from '../../src/ledger/daml/time.ts'
import type { Micros } from '../../src/ledger/value.ts'
import { type OpenRound, usableRound } from '../../src/names/cached-rules.ts'
import { contract, epoch, round, rulesWith, tick } from './contracts.ts'

const month = 30 * 86_400_000_000

function advanced(rounds: readonly OpenRound[], now: Micros): readonly OpenRound[] | undefined {
  const [submission] = decideRounds({ ...rulesWith(), rounds }, now)
  if (submission === undefined) return undefined
  const archived = submission.commands.flatMap((command) =>
    command.kind === 'exercise' ? [command.contractId] : [],
  )
  const created = submission.commands.flatMap((command) =>
    command.kind === 'create' ? [contract(OpenMiningRound, command.argument as OpenMiningRoundArgument)] : [],
  )
  return [...rounds.filter(({ contractId }) => !archived.includes(contractId)), ...created]
}

const numbers = (rounds: readonly OpenRound[]) => rounds.map(({ argument }) => Number(argument.round.number))

describe('mining rounds', () => {
  test('begin with two open and one to come', () => {
    const first = advanced([], epoch) ?? []
    expect(
      first.map(({ argument }) => [argument.round.number, argument.opensAt, argument.targetClosesAt]),
    ).toEqual([
      ['0', '2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z'],
      ['1', '2026-01-01T00:00:00Z', '2026-01-01T00:20:00Z'],
      ['2', '2026-01-01T00:10:00Z', '2026-01-01T00:30:00Z'],
    ])
    expect(first.map(({ argument }) => argument.amuletPrice)).toEqual(Array(3).fill('0.0050000000'))
    expect(decideRounds({ ...rulesWith(), rounds: first }, epoch + tick - 1)).toEqual([])
  })

  test('are not there before the rules of amulets are', () => {
    expect(decideRounds({ ...rulesWith([]), amuletRules: undefined }, epoch)).toEqual([])
  })

  test('move on when the oldest is past its time, and keep the price', () => {
    const rounds = [round(4, epoch - 2 * tick), round(5, epoch - tick), round(6, epoch)]
    expect(decideRounds({ ...rulesWith(), rounds }, epoch - 1)).toEqual([])
    const next = advanced(rounds, epoch) ?? []
    expect(numbers(next)).toEqual([5, 6, 7])
    expect(next.at(-1)?.argument).toMatchObject({
      amuletPrice: '0.0050000000',
      opensAt: '2026-01-01T00:10:00Z',
      targetClosesAt: '2026-01-01T00:30:00Z',
      issuingFor: { microseconds: String(7 * tick) },
    })
  })

  test('do not move on before the middle one was open for a tick, or the latest is open', () => {
    const oldest = round(4, epoch - 3 * tick)
    const late = [oldest, round(5, epoch - tick + 1), round(6, epoch)]
    expect(decideRounds({ ...rulesWith(), rounds: late }, epoch)).toEqual([])
    expect(decideRounds({ ...rulesWith(), rounds: late }, epoch + 1)).toHaveLength(1)
    const closed = [oldest, round(5, epoch - tick), round(6, epoch + 1)]
    expect(decideRounds({ ...rulesWith(), rounds: closed }, epoch)).toEqual([])
    expect(decideRounds({ ...rulesWith(), rounds: closed }, epoch + 1)).toHaveLength(1)
  })

  test('follow each other with a price at every time, however time moves, in one step after any jump', () => {
    const jumps = fc.array(fc.oneof(fc.nat(2 * tick), fc.nat(6 * month)), { maxLength: 30 })
    fc.assert(
      fc.property(jumps, (moves) => {
        let now = epoch
        let rounds = advanced([], now) ?? []
        for (const move of moves) {
          now += move
          const next = advanced(rounds, now)
          rounds = next ?? rounds
          expect(advanced(rounds, now)).toBeUndefined()
          expect(rounds).toHaveLength(3)
          const [first = 0] = numbers(rounds)
          expect(numbers(rounds)).toEqual([first, first + 1, first + 2])
          expect(usableRound(rounds, now)).toBeDefined()
          const opens = rounds.map(({ argument }) => microsOf(argument.opensAt))
          expect(opens).toEqual(opens.toSorted((a, b) => a - b))
        }
      }),
    )
  })

  test('issue what the curve says for the time that they stand for', () => {
    const half = (365 * 86_400_000_000) / 2
    const late = { ...round(1, epoch - tick).argument, issuingFor: { microseconds: String(half - tick) } }
    const rounds = [round(0, epoch - 3 * tick), round(1, epoch - 2 * tick), contract(OpenMiningRound, late)]
    expect(advanced(rounds, epoch)?.at(-1)?.argument.issuanceConfig.amuletToIssuePerYear).toBe(
      '20000000000.0000000000',
    )
  })
})
