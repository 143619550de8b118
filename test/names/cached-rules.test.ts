import { describe, expect, test } from 'vitest'
import { Rules } from '../../src/names/cached-rules.ts'
import { openNetwork } from '../automation/network.ts'

describe('the rules in force', () => {
  test('are read once, and again after one of them changed', async () => {
    await using net = await openNetwork()
    let reads = 0
    using rules = new Rules(net.dso, {
      watch: (told) => net.ledger.watch(told),
      contracts: (filter, limit) => {
        reads++
        return net.ledger.contracts(filter, limit)
      },
    })
    await Promise.all([rules.get(), rules.get()])
    await net.register(await net.user('alice'), 'alice')
    const before = await rules.get()
    expect(reads).toBe(3)
    await net.pass('20m')
    const after = await rules.get()
    expect(reads).toBe(6)
    expect(before.rounds.map(({ argument }) => argument.round.number)).toEqual(['0', '1', '2'])
    expect(after.rounds.map(({ argument }) => argument.round.number)).toEqual(['1', '2', '3'])
  })

  test('are read again after a read that failed', async () => {
    let isDown = true
    using rules = new Rules('DSO::1220', {
      watch: () => () => {},
      contracts: async () => {
        if (isDown) throw new Error('down')
        return []
      },
    })
    await expect(rules.get()).rejects.toThrow('down')
    isDown = false
    expect(await rules.get()).toEqual({
      dso: 'DSO::1220',
      ansRules: undefined,
      amuletRules: undefined,
      rounds: [],
    })
  })
})
