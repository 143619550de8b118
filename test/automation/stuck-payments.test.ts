import { expect, test } from 'vitest'
import { decideStuckPayments } from '../../src/automation/stuck-payments.ts'
import { LockedAmulet } from '../../src/ledger/daml/splice/amulet.ts'
import { timeOf } from '../../src/ledger/daml/time.ts'
import { milliseconds } from '../../src/lib/clock.ts'
import { cid, coin, contract, dso, epoch, round, rulesWith, tick } from './contracts.ts'
import { nameOf, openNetwork } from './network.ts'

const locked = (expiresAt: number) =>
  contract(LockedAmulet, {
    amulet: coin('alice::1220', '200').argument,
    lock: { holders: [dso], expiresAt: timeOf(expiresAt), optContext: null },
  })

test('coin goes back when its lock has expired, and not before', () => {
  const payments = [
    { kind: 'initial', contractId: cid(), coin: locked(epoch) },
    { kind: 'renewal', contractId: cid(), coin: locked(epoch - 1) },
    { kind: 'initial', contractId: cid(), coin: locked(epoch + 1) },
    { kind: 'initial', contractId: cid(), coin: undefined },
  ] as const
  const submissions = decideStuckPayments({ rules: rulesWith(), locked: payments }, epoch)
  expect(submissions).toMatchObject([
    {
      commandId: `expire-payment:${payments[0].contractId}`,
      commands: [{ choice: 'SubscriptionInitialPayment_Expire' }],
    },
    {
      commandId: `expire-payment:${payments[1].contractId}`,
      commands: [{ choice: 'SubscriptionPayment_Expire' }],
    },
  ])
})

test('without an open round nothing can be given back', () => {
  const payments = [{ kind: 'initial', contractId: cid(), coin: locked(epoch) }] as const
  expect(
    decideStuckPayments({ rules: rulesWith([round(1, epoch + tick)]), locked: payments }, epoch),
  ).toEqual([])
})

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
