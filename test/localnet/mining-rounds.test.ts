import { expect, test } from 'vitest'
import { AdvancingClock } from '../../src/base/lib/advancing-clock.ts'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import type { ContractWithState } from '../../src/localnet/world/contract.ts'
import { numberOf } from '../../src/localnet/world/mining-rounds.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { askJson } from './ask.ts'

test('mining rounds move on with the time of the control address, for all nodes alike, and for one that lags later', async () => {
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
  await localnet.setFault('sv-3', { kind: 'lag', by: 3_600_000 })
  const { latest_mining_round: latest } = await askJson(
    localnet.superValidators[2]?.url ?? '',
    '/api/scan/v0/dso',
  )
  expect(numberOf(latest)).toBe(before + 14)
})
