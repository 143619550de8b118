import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { milliseconds } from '../../src/base/lib/clock.ts'
import { bootstrap } from '../../src/localnet/automation/name-service.ts'
import { LedgerUnavailable } from '../../src/registry/ledger/ledger.ts'
import { newFolder } from '../support/new-folder.ts'
import { withMembers } from '../support/with-members.ts'
import { acronym, openNetwork } from './network.ts'

test('a new ledger gets the DSO’s rules and three rounds, once', async () => {
  await using net = await openNetwork()
  const { ansRules, amuletRules, rounds } = await net.rules.get()
  expect(ansRules?.argument).toEqual({
    dso: net.dso,
    config: {
      renewalDuration: { microseconds: '2592000000000' },
      entryLifetime: { microseconds: '7776000000000' },
      entryFee: '1.0000000000',
      descriptionPrefix: 'CNS entry: ',
    },
  })
  const { decentralizedSynchronizer } = amuletRules?.argument.configSchedule.initialValue ?? {}
  expect(decentralizedSynchronizer?.activeSynchronizer).toBe(net.ledger.synchronizerId)
  expect(rounds.map(({ argument }) => argument.round.number)).toEqual(['0', '1', '2'])
  expect(net.dso).toMatch(/^DSO::1220[0-9a-f]{64}$/)

  const before = await net.ledger.end()
  expect(await bootstrap(net.ledger, { acronym, now: net.clock.wall() * 1000 })).toBe(net.dso)
  expect(await net.ledger.end()).toBe(before)
})

test('a name service that is founded needs no writes to begin again, however late', async () => {
  await using net = await openNetwork()
  net.clock.advance(milliseconds('60d'))
  const reading = withMembers(net.ledger, {
    submit: () => Promise.reject(new LedgerUnavailable('The disk is full.')),
  })
  expect(await bootstrap(reading, { acronym, now: net.clock.wall() * 1000 })).toBe(net.dso)
})

test('many at once found one name service', async () => {
  await using net = await openNetwork()
  const now = net.clock.wall() * 1000
  await Promise.all(Array.from({ length: 5 }, () => bootstrap(net.ledger, { acronym, now })))
  expect((await net.rules.get()).rounds).toHaveLength(3)
})

test('a ledger in a file continues after a restart, with the settings and contracts of its users', async () => {
  const folder = newFolder(onTestFinished)
  const file = join(folder, 'ledger.sqlite')
  let party: string
  {
    await using net = await openNetwork({ file })
    const alice = await net.user('alice')
    party = alice.party
    await net.register(alice, 'alice')
    await net.wallet.setRenewing(alice, false)
    await net.pay(alice, 'alice-2')
  }
  await using net = await openNetwork({ file })
  const alice = await net.user('alice')
  expect(alice.party).toBe(party)
  expect(await net.wallet.isRenewing(alice)).toBe(false)
  await net.automation.runUntilIdle()
  expect((await net.registry.list(alice)).map(({ name }) => name)).toEqual([
    'alice.unverified.cns',
    'alice-2.unverified.cns',
  ])
})
