import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AdvancingClock } from '../../src/lib/advancing-clock.ts'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import { type ContractWithState, microsIn, microsOf } from '../../src/localnet/world/contract.ts'
import { MiningRounds, numberOf } from '../../src/localnet/world/mining-rounds.ts'
import { usualTraits } from '../../src/localnet/world/registry.ts'
import { World } from '../../src/localnet/world/world.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { askJson } from './ask.ts'

const minute = 60_000
const superValidators = [{ name: 'sv-1', url: 'http://127.0.0.1:5001' }]

function freshWorld() {
  const clock = new ManualClock()
  return { clock, world: new World({ seed: 1, acronym: 'cns', superValidators }, { clock }) }
}

const isNext = (numbers: readonly number[]) =>
  numbers.every((number, at) => number === (numbers[0] as number) + at)
const timeOf = ({ contract: { payload } }: ContractWithState, member: string) => microsIn(payload[member])

const jumpsInSeconds = fc.array(fc.oneof(fc.integer({ min: 0, max: 86_400 }), fc.constant(50 * 86_400)), {
  minLength: 1,
  maxLength: 8,
})

describe('mining rounds without a ledger', () => {
  test('at every time two are open and one is to come, and coin can be made in one of them', () => {
    const { clock, world } = freshWorld()
    fc.assert(
      fc.property(jumpsInSeconds, (seconds) => {
        for (const jump of seconds) {
          clock.advance(jump * 1_000)
          const now = microsOf(clock.wall())
          const { openRounds, usableRound } = world.annals
          const opened = openRounds.filter((round) => timeOf(round, 'opensAt') <= now)
          expect([opened.length, openRounds.length]).toEqual([2, 3])
          expect(opened.at(-1)).toEqual(usableRound)
          for (const round of openRounds) {
            expect(timeOf(round, 'targetClosesAt')).toBeGreaterThan(now)
            expect(microsIn(round.contract.created_at)).toBeLessThanOrEqual(now)
          }
          expect(openRounds.at(-1)).toEqual(world.latestMiningRoundIn(usualTraits))
        }
      }),
      { numRuns: 60 },
    )
  })

  test('rounds that are open, issue coin and are closed follow each other without a gap, each ten minutes long', () => {
    const { clock, world } = freshWorld()
    fc.assert(
      fc.property(jumpsInSeconds, (seconds) => {
        for (const jump of seconds) clock.advance(jump * 1_000)
        const { openRounds, issuingRounds, closedRounds } = world.annals
        const closed = closedRounds.map((contract) => numberOf({ contract, domain_id: null }))
        expect(isNext([...closed, ...[...issuingRounds, ...openRounds].map(numberOf)])).toBe(true)
        const opens = [...issuingRounds, ...openRounds].map((round) => timeOf(round, 'opensAt'))
        expect(opens.slice(1, 3).map((at, index) => at - (opens[index] as number))).toEqual(
          Array(2).fill(10 * minute * 1_000),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('a round has the same contracts on every node and after every other read', () => {
    const facts = { seed: 1, dso: 'DSO::1220ab', synchronizer: 'global-domain::1220cd' }
    const start = Date.UTC(2026, 0, 1) * 1_000
    const roundsAt = (rounds: MiningRounds, seconds: number) =>
      rounds.at(start + seconds * 1_000_000, 40, start)
    fc.assert(
      fc.property(jumpsInSeconds, fc.integer({ min: -20_000, max: 90_000 }), (before, seconds) => {
        const [asked, fresh] = [new MiningRounds(facts), new MiningRounds(facts)]
        for (const jump of before) roundsAt(asked, jump)
        expect(JSON.stringify(roundsAt(asked, seconds))).toBe(JSON.stringify(roundsAt(fresh, seconds)))
      }),
      { numRuns: 60 },
    )
  })

  test('move on with the time of the control address, for all nodes alike, and for one that lags later', async () => {
    const clock = new AdvancingClock(new ManualClock())
    await using localnet = await startLocalnet({ superValidators: 4 }, { clock })
    const ask = {
      method: 'POST',
      body: '{"cached_open_mining_round_contract_ids":[],"cached_issuing_round_contract_ids":[]}',
    }
    const rounds = async () => {
      const asked = localnet.superValidators.map(({ url }) =>
        askJson(url, '/api/scan/v0/open-and-issuing-mining-rounds', ask),
      )
      const [first, ...others] = await Promise.all(asked)
      for (const other of others) expect(other).toEqual(first)
      const open: ContractWithState[] = Object.values(first.open_mining_rounds)
      return open.map(numberOf).sort((a, b) => a - b)
    }
    const [before = 0] = await rounds()
    await fetch(`${localnet.control}/time/advance`, { method: 'POST', body: '{"duration":"3h"}' })
    expect(await rounds()).toEqual([18, 19, 20].map((later) => before + later))
    await localnet.setFault('sv-3', { kind: 'lag', by: 60 * minute })
    const { latest_mining_round: latest } = await askJson(
      localnet.superValidators[2]?.url ?? '',
      '/api/scan/v0/dso',
    )
    expect(numberOf(latest)).toBe(before + 14)
  })
})
