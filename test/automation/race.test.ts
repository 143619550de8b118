import { expect, test } from 'vitest'
import { openNetwork } from './network.ts'

test('of two users who pay for one name at the same time, one gets the name and the other gets the coin back, a hundred times', async () => {
  await using net = await openNetwork()
  const [alice, bob] = [await net.user('alice'), await net.user('bob')]
  net.automation.start()
  const labels = Array.from({ length: 100 }, (_, at) => `name-${at}`)
  await Promise.all(
    labels.flatMap((label, at) => (at % 2 ? [alice, bob] : [bob, alice]).map((who) => net.pay(who, label))),
  )
  await net.automation.runUntilIdle()

  const holders = await Promise.all(labels.map((label) => net.holders(label)))
  expect(holders.filter((each) => each.length !== 1)).toEqual([])
  const won = (party: string) => holders.filter(([holder]) => holder === party).length
  expect(won(alice.party) + won(bob.party)).toBe(100)
  for (const user of [alice, bob]) {
    expect(await net.wallet.balance(user)).toMatchObject({
      effective_unlocked_qty: `${200 * (100 - won(user.party)) || 0}.0000000000`,
      effective_locked_qty: '0.0000000000',
    })
  }
  const left = Map.groupBy(await net.leftovers(), (entity) => entity)
  expect([...left].map(([entity, all]) => [entity, all.length]).sort()).toEqual([
    ['AnsEntry', 100],
    ['AnsEntryContext', 100],
    ['Subscription', 100],
    ['SubscriptionIdleState', 100],
  ])
})

test('two automations on one ledger have the effect of one', async () => {
  await using net = await openNetwork()
  await using other = net.anotherAutomation()
  const users = await Promise.all(['alice', 'bob', 'carol'].map((name) => net.user(name)))
  net.automation.start()
  other.start()
  const labels = Array.from({ length: 20 }, (_, at) => `name-${at}`)
  await Promise.all(labels.flatMap((label) => users.map((user) => net.pay(user, label))))
  await Promise.all([net.automation.runUntilIdle(), other.runUntilIdle()])
  for (const label of labels) expect(await net.holders(label)).toHaveLength(1)
  const coins = await Promise.all(users.map((user) => net.coinOf(user)))
  expect(coins.map(Number).reduce((a, b) => a + b)).toBe(200 * 40)
  expect(await net.leftovers()).toHaveLength(80)
})
