import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byDso } from '../../src/localnet/automation/duty.ts'
import { OpenMiningRound } from '../../src/registry/ledger/daml/splice/round.ts'
import { create } from '../../src/registry/ledger/ledger.ts'
import { type Network, openNetwork } from './network.ts'

async function roundsOf(net: Network) {
  const { rounds } = await net.rules.get()
  return rounds.map(({ argument }) => argument)
}

const timesOf = (rounds: Awaited<ReturnType<typeof roundsOf>>) =>
  rounds.map(({ round, opensAt, targetClosesAt, issuingFor }) => [
    Number(round.number),
    opensAt.slice(11, 16),
    targetClosesAt.slice(11, 16),
    Number(issuingFor.microseconds) / 60_000_000,
  ])

test('a network begins with two open rounds and one to come, and a new round follows when the oldest is over', async () => {
  await using net = await openNetwork()
  expect(timesOf(await roundsOf(net))).toEqual([
    [0, '00:00', '00:10', 0],
    [1, '00:00', '00:20', 10],
    [2, '00:10', '00:30', 20],
  ])
  net.clock.advance(599_999)
  await net.automation.runUntilIdle()
  expect(timesOf(await roundsOf(net)).map(([number]) => number)).toEqual([0, 1, 2])
  net.clock.advance(1)
  await net.automation.runUntilIdle()
  expect(timesOf(await roundsOf(net)).slice(1)).toEqual([
    [2, '00:10', '00:30', 20],
    [3, '00:20', '00:40', 30],
  ])
})

test('there is a round to pay in at every time, however time moves, and a downtime makes one round and no late ones', async () => {
  const jumps = fc.array(fc.oneof(fc.nat(20), fc.nat(260_000)), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(jumps, async (moves) => {
      await using net = await openNetwork()
      const alice = await net.user('alice')
      let last = 2
      for (const minutes of moves) {
        await net.pass(`${minutes}m`)
        const rounds = await roundsOf(net)
        const numbers = rounds.map(({ round }) => Number(round.number))
        expect(numbers).toEqual([numbers[0], Number(numbers[0]) + 1, Number(numbers[0]) + 2])
        expect((numbers[2] ?? 0) - last).toBeLessThanOrEqual(1)
        last = numbers[2] ?? 0
        const opens = rounds.map(({ opensAt }) => Date.parse(opensAt))
        expect(opens).toEqual(opens.toSorted((a, b) => a - b))
        expect(new Set(rounds.map(({ amuletPrice }) => amuletPrice))).toEqual(new Set(['0.0050000000']))
        await net.wallet.tap(alice, '1.0')
      }
    }),
    { numRuns: 12 },
  )
})

test('a round issues what the curve says for the time that it stands for', async () => {
  await using net = await openNetwork()
  const issued = async () => (await roundsOf(net)).at(-1)?.issuanceConfig.amuletToIssuePerYear
  expect(await issued()).toBe('40000000000.0000000000')
  const [latest = expect.fail()] = (await roundsOf(net)).slice(-1)
  const almostHalfAYear = { microseconds: String(182.5 * 86_400_000_000 - 600_000_000) }
  const round = { ...latest, round: { number: '3' }, issuingFor: almostHalfAYear }
  const created = byDso(net.dso, 'late round', [create(OpenMiningRound, round)])
  expect(await net.ledger.submit(created)).toMatchObject({ kind: 'committed' })
  await net.pass('1h')
  expect(await issued()).toBe('20000000000.0000000000')
})
