import { describe, expect, test } from 'vitest'
import { later, microsOf, timeOf } from '../../src/registry/ledger/daml/time.ts'
import { commit, entryCreate } from '../ledger/submissions.ts'
import { nameOf, openNetwork } from './network.ts'

const coin = (amount: number) => `${amount}.0000000000`
const extended = (time: string) =>
  timeOf(later(microsOf(time), { microseconds: String(90 * 86_400_000_000) }))
describe('the life of an entry', () => {
  test('is renewed later where there was no coin when the window opened', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const { expiresAt } = (await net.register(alice, 'alice')).argument
    await net.pass('61d')
    await net.wallet.tap(alice, '0.5')
    await net.pass('1d')
    const held = async () =>
      (await net.ledger.entries({ name: nameOf('alice'), limit: 1 }))[0]?.argument.expiresAt
    expect(await held()).toBe(expiresAt)
    await net.wallet.tap(alice, '0.5')
    await net.pass('1d')
    expect(await held()).toBe(extended(expiresAt))
  })

  test('is renewed with the other names of its owner, each by a payment of its own', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const before = [await net.register(alice, 'alice'), await net.register(alice, 'alice-2')]
    await net.wallet.tap(alice, '2.0')
    await net.pass('61d')
    const after = await net.ledger.entries({ user: alice.party, limit: 9 })
    const ends = before.map(({ argument }) => extended(argument.expiresAt))
    expect(new Set(after.map(({ argument }) => argument.expiresAt))).toEqual(new Set(ends))
    expect(await net.coinOf(alice)).toBe(coin(0))
    expect(net.warnings).toEqual([])
  })

  test('is listed at the moment it ends, and archived after', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    await net.register(alice, 'alice')
    await net.pass('90d')
    expect(await net.holders('alice')).toEqual([alice.party])
    expect(await net.registry.list(alice)).toHaveLength(1)
    net.clock.advance(1)
    expect(await net.registry.list(alice)).toEqual([])
    await net.automation.runUntilIdle()
    expect(await net.holders('alice')).toEqual([])
    expect(await net.registry.list(alice)).toEqual([])
    expect(await net.leftovers()).toEqual([])
  })

  test('is archived with all others that end at the same time, however many', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const pair = { dso: net.dso, user: alice.party }
    const entries = Array.from({ length: 250 }, (_, at) => entryCreate(pair, nameOf(`name-${at}`)))
    await commit(net.ledger, pair, ...entries)
    expect(await net.leftovers()).toHaveLength(250)
    await net.pass('91d')
    expect(await net.leftovers()).toEqual([])
  })

  test('ends when months pass at once, though there is coin, and the name is free again', async () => {
    await using net = await openNetwork()
    const [alice, bob] = [await net.user('alice'), await net.user('bob')]
    await net.register(alice, 'alice')
    await net.wallet.tap(alice, '5')
    await net.pass('200d')
    expect(await net.leftovers()).toEqual([])
    expect(await net.coinOf(alice)).toBe(coin(1000))
    expect((await net.register(bob, 'alice')).argument.user).toBe(bob.party)
  })

  test('leaves nothing behind where the request is rejected', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    await net.wallet.reject(alice, subscriptionRequestCid)
    await net.automation.runUntilIdle()
    expect(await net.leftovers()).toEqual([])
    const again = await net.ask(alice, 'alice')
    expect(again.subscriptionRequestCid).not.toBe(subscriptionRequestCid)
  })
})
