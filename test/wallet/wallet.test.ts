import { describe, expect, test } from 'vitest'
import type { SpliceErrorCode } from '../../src/base/errors/splice.ts'
import { milliseconds } from '../../src/base/lib/clock.ts'
import { Wallet } from '../../src/localnet/wallet/wallet.ts'
import { Amulet } from '../../src/registry/ledger/daml/splice/amulet.ts'
import { OpenMiningRound } from '../../src/registry/ledger/daml/splice/round.ts'
import { create } from '../../src/registry/ledger/ledger.ts'
import type { PartyAllocated, Transaction } from '../../src/registry/ledger/update.ts'
import { type Network, nameOf, openNetwork } from '../automation/network.ts'
import { withMembers } from '../support/with-members.ts'

const nobodys = `00${'ab'.repeat(32)}ca111220${'cd'.repeat(32)}`

async function refusal(asked: Promise<unknown>): Promise<{ code: SpliceErrorCode; message: string }> {
  const error = await asked.then(
    () => undefined,
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ name: 'SpliceError' })
  return error
}

function commandIdOf(update: Transaction | PartyAllocated): string {
  return update.kind === 'transaction' ? update.commandId : ''
}

async function expectNoUpdate(net: Network, act: () => Promise<void>): Promise<void> {
  const before = await net.ledger.end()
  await act()
  expect(await net.ledger.end()).toBe(before)
}

describe('accepting a request', () => {
  test('twice answers the same payment, also when it was collected meanwhile', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    await net.wallet.tap(alice, '3')
    const [first, second] = await Promise.all([
      net.wallet.accept(alice, subscriptionRequestCid),
      net.wallet.accept(alice, subscriptionRequestCid),
    ])
    expect(second).toBe(first)
    expect(await net.wallet.initialPayments(alice)).toMatchObject([{ contractId: first }])
    await net.automation.runUntilIdle()
    expect(await net.wallet.accept(alice, subscriptionRequestCid)).toBe(first)
    expect(await net.coinOf(alice)).toBe('400.0000000000')
  })

  test('without enough coin says how much is missing, changes nothing, and works once there is enough', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    await net.wallet.tap(alice, '0.25')
    await expectNoUpdate(net, async () => {
      expect(await refusal(net.wallet.accept(alice, subscriptionRequestCid))).toMatchObject({
        code: 'amuletOperationFailed',
        status: 400,
        message:
          'the amulet operation failed with a Daml exception: Insufficient funds: you are missing 150.0000000000 to complete this transfer.',
      })
    })
    await net.wallet.tap(alice, '0.75')
    await net.wallet.accept(alice, subscriptionRequestCid)
    expect(await net.coinOf(alice)).toBe('0.0000000000')
  })

  test('takes no more coins than are needed, the largest first', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    for (const usd of ['0.1', '0.9', '0.3']) await net.wallet.tap(alice, usd)
    await net.wallet.accept(alice, subscriptionRequestCid)
    const amounts = (await net.coins(alice)).map(({ argument }) => argument.amount.initialAmount)
    expect(amounts).toEqual(['20.0000000000', '40.0000000000'])
  })

  test('with more than a hundred small coins merges them first, and pays', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    await Promise.all(Array.from({ length: 250 }, () => net.wallet.tap(alice, '0.0045')))
    const payment = await net.wallet.accept(alice, subscriptionRequestCid)
    expect(await net.wallet.initialPayments(alice)).toMatchObject([{ contractId: payment }])
    expect(await net.coinOf(alice)).toBe('25.0000000000')
    expect(await net.wallet.accept(alice, subscriptionRequestCid)).toBe(payment)
    await net.automation.runUntilIdle()
    expect(await net.holders('alice')).toEqual([alice.party])
  })

  test('with more than a hundred coins that are too little in all changes nothing', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    await Promise.all(Array.from({ length: 150 }, () => net.wallet.tap(alice, '0.005')))
    await expectNoUpdate(net, async () => {
      const refused = await refusal(net.wallet.accept(alice, subscriptionRequestCid))
      expect(refused).toMatchObject({ code: 'amuletOperationFailed', status: 400 })
    })
  })

  test('where a transfer may use only one coin, and two are needed, is refused', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    for (let coins = 0; coins < 2; coins++) await net.wallet.tap(alice, '0.6')
    const [{ argument } = expect.fail()] = (await net.rules.get()).rounds
    const transferConfigUsd = { ...argument.transferConfigUsd, maxNumInputs: '1' }
    const round = { ...argument, round: { number: '999' }, transferConfigUsd }
    const created = await net.ledger.submit({
      commandId: 'one coin',
      userId: 'dso',
      actAs: [net.dso],
      commands: [create(OpenMiningRound, round)],
      disclosed: [],
    })
    expect(created.kind).toBe('committed')
    const refused = await refusal(net.wallet.accept(alice, subscriptionRequestCid))
    expect(refused).toMatchObject({ code: 'amuletOperationFailed', status: 400 })
  })

  test.each(['accept', 'reject'] as const)(
    'after rejecting it, to %s is no longer possible but for the same',
    async (act) => {
      await using net = await openNetwork()
      const alice = await net.user('alice')
      await net.wallet.tap(alice, '3')
      const { subscriptionRequestCid } = await net.ask(alice, 'alice')
      await net.wallet.reject(alice, subscriptionRequestCid)
      await expectNoUpdate(net, async () => {
        if (act === 'reject') return net.wallet.reject(alice, subscriptionRequestCid)
        const refused = await refusal(net.wallet.accept(alice, subscriptionRequestCid))
        expect(refused).toMatchObject({ code: 'contractNotFound', status: 404 })
      })
    },
  )

  test('and then rejecting it is refused', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    await net.wallet.tap(alice, '3')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    await net.wallet.accept(alice, subscriptionRequestCid)
    expect(await refusal(net.wallet.reject(alice, subscriptionRequestCid))).toMatchObject({
      code: 'contractNotFound',
    })
  })
})

describe('a payment with coin that was spent a moment before', () => {
  /** In its first `looks` look-ups, the wallet sees an earlier state of the coin. */
  const behind = async (net: Network, looks: number) => {
    const alice = await net.user('alice')
    const { subscriptionRequestCid } = await net.ask(alice, 'alice')
    await net.wallet.tap(alice, '1')
    const before = await net.coins(alice)
    await net.wallet.accept(alice, (await net.ask(alice, 'other')).subscriptionRequestCid)
    await net.wallet.tap(alice, '1')
    let left = looks
    const ledger = withMembers(net.ledger, {
      contracts: async (filter, limit) => {
        if (filter.template !== Amulet.name || left === 0) return net.ledger.contracts(filter, limit)
        left--
        return before
      },
    })
    const wallet = new Wallet({ ledger, rules: net.rules, clock: net.clock })
    return wallet.accept(alice, subscriptionRequestCid)
  }

  test('is made with what is left', async () => {
    await using net = await openNetwork()
    expect(await behind(net, 2)).toMatch(/^00/)
    expect(await net.coinOf(await net.user('alice'))).toBe('0.0000000000')
  })

  test('is refused for now where that happens again and again', async () => {
    await using net = await openNetwork()
    expect(await refusal(behind(net, 3))).toMatchObject({
      code: 'ledgerContention',
      status: 429,
      retryAfter: 1,
    })
  })
})

describe('contracts of another user, of another kind, or of nobody', () => {
  test('are not found and stay as they are', async () => {
    await using net = await openNetwork()
    const [alice, mallory] = [await net.user('alice'), await net.user('mallory')]
    await net.register(alice, 'alice')
    await net.wallet.tap(mallory, '5')
    const { subscriptionRequestCid: request, entryContextCid } = await net.ask(alice, 'alice-2')
    const [running] = await net.wallet.subscriptions(alice)
    const idle = running?.state.contract.contractId ?? ''
    await expectNoUpdate(net, async () => {
      for (const id of [request, idle, entryContextCid, nobodys, 'x', '', '../..']) {
        const asked = [
          net.wallet.request(mallory, id),
          net.wallet.accept(mallory, id),
          net.wallet.reject(mallory, id),
          net.wallet.cancel(mallory, id),
        ]
        for (const refused of await Promise.all(asked.map(refusal)))
          expect(refused).toMatchObject({ code: 'contractNotFound', status: 404 })
      }
      expect(await refusal(net.wallet.cancel(alice, request))).toMatchObject({ code: 'contractNotFound' })
      expect(await refusal(net.wallet.accept(alice, idle))).toMatchObject({
        message: `No active SubscriptionRequest of yours has the contract id ${idle}.`,
      })
    })
    expect(await net.wallet.requests(mallory)).toEqual([])
    expect(await net.wallet.subscriptions(mallory)).toEqual([])
    expect(await net.registry.list(mallory)).toEqual([])
    expect(await net.wallet.request(alice, request)).toMatchObject({ contractId: request })
  })
})

describe('a tap', () => {
  test('makes coin worth the amount, rounded up', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const contractId = await net.wallet.tap(alice, '0.0000000001')
    expect(await net.coins(alice)).toMatchObject([
      { contractId, argument: { owner: alice.party, amount: { initialAmount: '0.0000000200' } } },
    ])
  })

  test('with the same command id makes coin once; another user may use the id too', async () => {
    await using net = await openNetwork()
    const [alice, bob] = [await net.user('alice'), await net.user('bob')]
    const taps = await Promise.all([
      net.wallet.tap(alice, '1', 'one'),
      net.wallet.tap(alice, '1', 'one'),
      net.wallet.tap(alice, '1', 'two'),
      net.wallet.tap(bob, '1', 'one'),
    ])
    expect(new Set(taps).size).toBe(3)
    expect(await net.coinOf(alice)).toBe('400.0000000000')
  })

  test('may have any text as its command id, of which the ledger gets one that a participant takes', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const texts = ['', 'x', '\0\u{1f600}', 'y'.repeat(60_000)]
    for (const text of texts) await net.wallet.tap(alice, '1', text)
    const updates = await net.ledger.updates(0, await net.ledger.end(), 100)
    const taps = updates.map(commandIdOf).filter((commandId) => commandId.startsWith('tap:'))
    expect(new Set(taps).size).toBe(texts.length)
    for (const commandId of taps) expect(commandId).toMatch(/^[A-Za-z0-9#:\-_/ ]{1,255}$/)
  })

  test('of no amount above 0, or of more than the ledger gives, is refused', async () => {
    await using net = await openNetwork()
    const alice = await net.user('alice')
    const none = ['', '-1', '0', '0.0', '1e3', '1.00000000001', '1'.repeat(29), ' 1', 'NaN', '1,5']
    const tooMuch = ['500000.0000000001', '9'.repeat(28)]
    await expectNoUpdate(net, async () => {
      for (const amount of none) {
        expect(await refusal(net.wallet.tap(alice, amount))).toMatchObject({ code: 'malformedAmount' })
      }
      for (const amount of tooMuch) {
        expect(await refusal(net.wallet.tap(alice, amount))).toMatchObject({ code: 'amuletOperationFailed' })
      }
    })
  })
})

test('holding fees grow with the rounds, and stay below the value of the coin', async () => {
  await using net = await openNetwork()
  const alice = await net.user('alice')
  await net.wallet.tap(alice, '1')
  expect(await net.wallet.balance(alice)).toMatchObject({ round: 1, total_holding_fees: '0.0000000000' })
  await net.pass('20m')
  await net.pass('10m')
  expect(await net.wallet.balance(alice)).toEqual({
    round: 3,
    effective_unlocked_qty: '200.0000000000',
    effective_locked_qty: '0.0000000000',
    total_holding_fees: '0.0076103600',
  })
})

test('a subscription shows a payment that is under way', async () => {
  await using net = await openNetwork()
  await using paying = net.anotherAutomation('wallet renewals')
  const alice = await net.user('alice')
  await net.register(alice, 'alice')
  await net.wallet.tap(alice, '1')
  const subscription = { argument: { subscriptionData: { sender: alice.party } } }
  expect(await net.wallet.subscriptions(alice)).toMatchObject([{ subscription, state: { kind: 'idle' } }])
  net.clock.advance(milliseconds('61d'))
  await paying.runUntilIdle()
  expect(await net.wallet.subscriptions(alice)).toMatchObject([
    { subscription, state: { kind: 'payment', contract: { argument: { targetAmount: '200.0000000000' } } } },
  ])
  expect(await net.registry.list(alice)).toMatchObject([{ name: nameOf('alice'), amount: '1.0000000000' }])
})

test('a subscription that is past due is no longer shown', async () => {
  await using net = await openNetwork()
  const alice = await net.user('alice')
  await net.register(alice, 'alice')
  net.clock.advance(milliseconds('90d') + 1)
  expect(await net.wallet.subscriptions(alice)).toEqual([])
})
