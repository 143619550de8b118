import { describe, expect, test } from 'vitest'
import { LedgerUnavailable, type Submission, type UserLedger } from '../../src/registry/ledger/ledger.ts'
import { onOneLedger, Registry } from '../../src/registry/names/registry.ts'
import { nameOf, openNetwork } from '../automation/network.ts'

describe('asking for a name', () => {
  test('that has an owner says who, until it expires', async () => {
    await using net = await openNetwork()
    const [alice, bob] = [await net.user('alice'), await net.user('bob')]
    await net.register(alice, 'alice')
    for (const user of [alice, bob]) {
      await expect(net.ask(user, 'alice')).rejects.toMatchObject({
        code: 'nameTaken',
        status: 409,
        message: expect.stringMatching(
          new RegExp(
            `^The name alice.unverified.cns is registered until 2026-04-01T00:00:00\\S*Z and owned by ${alice.party}.$`,
          ),
        ),
      })
    }
    // The name expires, but nobody archives its entry.
    net.clock.advance(90 * 86_400_000 + 1)
    await expect(net.ask(bob, 'alice')).resolves.toMatchObject({ name: nameOf('alice') })
  })

  test('again answers what is pending, also to many at once, and to other words', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const asked = await Promise.all(Array.from({ length: 20 }, () => net.ask(alice, 'alice')))
    expect(new Set(asked.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(await net.wallet.requests(alice)).toHaveLength(1)
    const other = { name: nameOf('alice'), url: 'https://other.example', description: 'other' }
    expect(await net.registry.create(alice, other)).toEqual(asked[0])

    await net.wallet.tap(alice, '1')
    await net.wallet.accept(alice, asked[0]?.subscriptionRequestCid ?? '')
    expect(await net.ask(alice, 'alice')).toEqual(asked[0])
  })

  test('that another user has pending is allowed: the first one to pay gets it', async () => {
    await using net = await openNetwork()
    const [alice, bob] = [await net.user('alice'), await net.user('bob')]
    const first = await net.ask(alice, 'alice')
    const second = await net.ask(bob, 'alice')
    expect(second.subscriptionRequestCid).not.toBe(first.subscriptionRequestCid)
    for (const [user, { subscriptionRequestCid }] of [[bob, second] as const, [alice, first] as const]) {
      await net.wallet.tap(user, '1')
      await net.wallet.accept(user, subscriptionRequestCid)
    }
    await net.automation.runUntilIdle()
    expect(await net.holders('alice')).toEqual([bob.party])
    expect(await net.coinOf(alice)).toBe('200.0000000000')
  })
})

test('a list has the names of one user, oldest first', async () => {
  await using net = await openNetwork()
  const [alice, bob] = [await net.user('alice'), await net.user('bob')]
  for (const [user, label] of [
    [alice, 'b'],
    [bob, 'c'],
    [alice, 'a'],
  ] as const)
    await net.register(user, label)
  await net.ask(alice, 'pending')
  expect((await net.registry.list(alice)).map(({ name }) => name)).toEqual([nameOf('b'), nameOf('a')])
  expect((await net.registry.list(bob)).map(({ name }) => name)).toEqual([nameOf('c')])
})

describe('a request whose outcome is not known', () => {
  async function registryThatLosesAnswers() {
    const net = await openNetwork()
    const ids: string[] = []
    let isLosing = true
    const submit = async (submission: Submission) => {
      ids.push(submission.commandId)
      if (isLosing) throw new LedgerUnavailable('the answer was lost')
      return net.ledger.submit(submission)
    }
    const ledger: UserLedger = {
      submit,
      contract: (contractId) => net.ledger.contract(contractId),
      contracts: (filter, limit) => net.ledger.contracts(filter, limit),
    }
    const { rules, clock } = net
    const deps = { ...onOneLedger(net.ledger), ledgerOf: () => ledger, rules, clock }
    const registry = new Registry({ acronym: async () => 'cns' }, deps)
    const ask = async (name: string) =>
      registry.create(await net.user('alice'), { name: nameOf(name), url: '', description: '' })
    const heal = () => {
      isLosing = false
    }
    return { net, ids, ask, heal, [Symbol.asyncDispose]: () => net[Symbol.asyncDispose]() }
  }

  test('is submitted as the same when the user asks again, and no other is', async () => {
    await using opened = await registryThatLosesAnswers()
    const { ids, ask, heal } = opened
    await expect(ask('alice')).rejects.toThrow(LedgerUnavailable)
    await expect(ask('alice')).rejects.toThrow(LedgerUnavailable)
    await expect(ask('other')).rejects.toThrow(LedgerUnavailable)
    heal()
    await expect(ask('alice')).resolves.toMatchObject({ name: nameOf('alice') })
    expect(ids[1]).toBe(ids[0])
    expect(ids[3]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
  })

  test('is one of its own again after five minutes', async () => {
    await using opened = await registryThatLosesAnswers()
    const { net, ids, ask } = opened
    await expect(ask('alice')).rejects.toThrow(LedgerUnavailable)
    net.clock.advance(299_999)
    await expect(ask('alice')).rejects.toThrow(LedgerUnavailable)
    net.clock.advance(1)
    await expect(ask('alice')).rejects.toThrow(LedgerUnavailable)
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
  })
})

test("names end in the acronym of the network's name service, which is looked up if necessary", async () => {
  await using net = await openNetwork()
  const { ledger, rules, clock } = net
  const registry = new Registry({ acronym: async () => 'ans' }, { ...onOneLedger(ledger), rules, clock })
  const request = { name: 'alice.unverified.cns', url: '', description: '' }
  await expect(registry.create(await net.user('alice'), request)).rejects.toThrow(
    'The name has to end in .unverified.ans.',
  )
})
