import { expect, test } from 'vitest'
import { milliseconds } from '../../src/lib/clock.ts'
import { onOneLedger, Registry } from '../../src/names/registry.ts'
import { nameOf, openNetwork } from './network.ts'

test('a first payment that is not collected is given back, and its request ends', async () => {
  await using net = await openNetwork()
  await using others = net.anotherAutomation('mining rounds', 'stuck payments', 'terminated subscriptions')
  const alice = await net.user('alice')
  await net.pay(alice, 'alice')
  const balance = { effective_unlocked_qty: '0.0000000000', effective_locked_qty: '200.0000000000' }
  net.clock.advance(milliseconds('19m'))
  await others.runUntilIdle()
  expect(await net.wallet.balance(alice)).toMatchObject(balance)
  net.clock.advance(milliseconds('2m'))
  await others.runUntilIdle()
  expect(await net.coinOf(alice)).toBe('200.0000000000')
  expect(await net.leftovers()).toEqual([])
})

test('a renewal payment that is not collected is given back, and paid again', async () => {
  await using net = await openNetwork()
  await using paying = net.anotherAutomation('wallet renewals')
  await using tidying = net.anotherAutomation('mining rounds', 'stuck payments')
  const alice = await net.user('alice')
  const { expiresAt } = await net.register(alice, 'alice')
  await net.wallet.tap(alice, '1')
  net.clock.advance(milliseconds('61d'))
  await paying.runUntilIdle()
  net.clock.advance(milliseconds('21m'))
  await tidying.runUntilIdle()
  expect(await net.coinOf(alice)).toBe('200.0000000000')
  expect(await net.wallet.subscriptions(alice)).toMatchObject([{ state: { kind: 'idle' } }])
  await net.automation.runUntilIdle()
  const [entry] = await net.ledger.entries({ name: nameOf('alice'), limit: 2 })
  expect(entry?.expiresAt).toBe(expiresAt + 90 * 86_400_000_000)
})

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

test('a renewal that was paid in time but not collected in time is given back, and the entry ends', async () => {
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
  expect(await net.coinOf(alice)).toBe('0.0000000000')
  await net.pass('21m')
  expect(await net.coinOf(alice)).toBe('200.0000000000')
  expect(await net.leftovers()).toEqual([])
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
