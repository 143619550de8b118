import { expect, test } from 'vitest'
import { openNetwork } from './network.ts'

test('two automations on one ledger have the effect of one', async () => {
  await using net = await openNetwork()
  await using other = net.anotherAutomation()
  const users = await Promise.all(['alice', 'bob', 'carol'].map((name) => net.user(name)))
  net.automation.start()
  other.start()
  const labels = Array.from({ length: 8 }, (_, at) => `name-${at}`)
  await Promise.all(labels.flatMap((label) => users.map((user) => net.pay(user, label))))
  await Promise.all([net.automation.runUntilIdle(), other.runUntilIdle()])
  for (const label of labels) expect(await net.holders(label)).toHaveLength(1)
  const coins = await Promise.all(users.map((user) => net.coinOf(user)))
  expect(coins.map(Number).reduce((a, b) => a + b)).toBe(200 * 16)
  expect(await net.leftovers()).toHaveLength(32)
})
