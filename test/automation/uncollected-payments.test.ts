import { expect, test } from 'vitest'
import { milliseconds } from '../../src/base/lib/clock.ts'
import { onOneLedger, Registry } from '../../src/registry/names/registry.ts'
import { openNetwork } from './network.ts'

test('a payment whose round is over is given back at once', async () => {
  await using net = await openNetwork()
  await using rounds = net.anotherAutomation('mining rounds')
  const alice = await net.user('alice')
  await net.pay(alice, 'alice')
  for (const _ of Array(4)) {
    net.clock.advance(milliseconds('21m'))
    await rounds.runUntilIdle()
  }
  await using judging = net.anotherAutomation('initial payments', 'terminated subscriptions')
  await judging.runUntilIdle()
  expect(await net.holders('alice')).toEqual([])
  expect(await net.coinOf(alice)).toBe('200.0000000000')
  expect(await net.leftovers()).toEqual([])
})

test('the coin of a renewal that was not collected in time stays locked, and the entry ends', async () => {
  await using net = await openNetwork()
  await using paying = net.anotherAutomation('wallet renewals')
  const alice = await net.user('alice')
  await net.register(alice, 'alice')
  await net.wallet.tap(alice, '1')
  net.clock.advance(milliseconds('90d') - 1000)
  await paying.runUntilIdle()
  expect(await net.wallet.subscriptions(alice)).toMatchObject([{ state: { kind: 'payment' } }])
  await net.pass('2s')
  expect(await net.holders('alice')).toEqual([])
  await net.pass('21m')
  expect(await net.wallet.balance(alice)).toMatchObject({
    effective_unlocked_qty: '0.0000000000',
    effective_locked_qty: '200.0000000000',
  })
  expect(net.warnings).toEqual([])
})

test('a payment for a name that the network does not take is given back', async () => {
  await using net = await openNetwork()
  const { ledger, rules, clock, wallet } = net
  const elsewhere = new Registry({ acronym: 'ans' }, { ...onOneLedger(ledger), rules, clock })
  const alice = await net.user('alice')
  await wallet.tap(alice, '1.0')
  const request = { name: 'alice.unverified.ans', url: '', description: '' }
  await wallet.accept(alice, (await elsewhere.create(alice, request)).subscriptionRequestCid)
  await net.automation.runUntilIdle()
  expect(await net.coinOf(alice)).toBe('200.0000000000')
  expect(await net.leftovers()).toEqual([])
})
