import { expect, test } from 'vitest'
import { Amulet, LockedAmulet } from '../../../src/ledger/daml/splice/amulet.ts'
import {
  AnsEntry,
  AnsEntry_Expire,
  AnsEntryContext,
  AnsEntryContext_Terminate,
} from '../../../src/ledger/daml/splice/ans.ts'
import { Subscription, TerminatedSubscription } from '../../../src/ledger/daml/splice/subscription.ts'
import { SubscriptionInitialPayment } from '../../../src/ledger/daml/splice/subscription-initial-payment.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_CancelSubscription,
  SubscriptionIdleState_ExpireSubscription,
  SubscriptionPayment,
} from '../../../src/ledger/daml/splice/subscription-renewal.ts'
import {
  SubscriptionRequest,
  SubscriptionRequest_Reject,
} from '../../../src/ledger/daml/splice/subscription-request.ts'
import { microsOf } from '../../../src/ledger/daml/time.ts'
import { exercise, tree } from './memory-ledger.ts'
import { alice, day, done, dso, minute, Network } from './network.ts'

const name = 'alice.unverified.cns'

function amounts(network: Network, owner: string): readonly string[] {
  return network.coinsOf(owner).map(({ argument }) => argument.amount.initialAmount)
}

test('a request makes a subscription request and the context of the entry', () => {
  const network = new Network()
  const requested = network.request(alice, name, 'https://alice.example', 'Alice')
  expect(tree(requested)).toEqual([
    'AnsRules_RequestEntry',
    '  create SubscriptionRequest',
    '  create AnsEntryContext',
  ])
  const { contractId, argument, signatories } = network.ledger.only(SubscriptionRequest)
  expect(signatories).toEqual([dso, alice])
  expect(argument).toEqual({
    subscriptionData: {
      sender: alice,
      receiver: dso,
      provider: dso,
      dso,
      description: 'CNS entry: "alice.unverified.cns"',
    },
    payData: {
      paymentAmount: { amount: '1.0000000000', unit: 'USDUnit' },
      paymentInterval: { microseconds: String(90 * day) },
      paymentDuration: { microseconds: String(30 * day) },
    },
  })
  const context = network.ledger.only(AnsEntryContext)
  expect(context.argument).toEqual({
    dso,
    user: alice,
    name,
    url: 'https://alice.example',
    description: 'Alice',
    reference: contractId,
  })
  expect(done(requested).nodes[0]).toMatchObject({
    result: { entryCid: context.contractId, requestCid: contractId },
    consuming: false,
    actingParties: [alice],
    witnesses: [dso, alice],
    lastDescendantNodeId: 2,
  })
})

test('to accept locks the fee at the price of the round and gives change', () => {
  const network = new Network()
  done(network.tap(alice, '150'))
  done(network.tap(alice, '100.5'))
  done(network.request(alice, name))
  const { contractId: reference, argument: request } = network.ledger.only(SubscriptionRequest)
  const accepted = network.accept(alice)
  expect(tree(accepted)).toEqual([
    'SubscriptionRequest_AcceptAndMakePayment',
    '  OpenMiningRound_Fetch',
    '  AmuletRules_Transfer',
    '    Archive Amulet',
    '    Archive Amulet',
    '    create LockedAmulet',
    '    create Amulet',
    '  create SubscriptionInitialPayment',
  ])
  const locked = network.ledger.only(LockedAmulet)
  expect(locked.argument).toEqual({
    amulet: {
      dso,
      owner: alice,
      amount: {
        initialAmount: '200.0000000000',
        createdAt: { number: '1' },
        ratePerRound: { rate: '0.0000000000' },
      },
    },
    lock: {
      holders: [dso],
      expiresAt: '2026-01-01T00:20:00Z',
      optContext: 'amulet-subscription: CNS entry: "alice.unverified.cns"',
    },
  })
  expect(locked.signatories).toEqual([dso, alice])
  expect(amounts(network, alice)).toEqual(['50.5000000000'])
  const payment = network.ledger.only(SubscriptionInitialPayment)
  expect(payment.argument).toEqual({
    ...request,
    targetAmount: '200.0000000000',
    lockedAmulet: locked.contractId,
    round: { number: '1' },
    reference,
  })
  expect(done(accepted).nodes[0]).toMatchObject({
    result: { subscriptionPayment: payment.contractId, senderChange: network.ledger.only(Amulet).contractId },
  })
  expect(network.ledger.list(SubscriptionRequest)).toEqual([])
})

test('the lock lasts a tick where the round closes sooner', () => {
  const network = new Network()
  done(network.tap(alice, '200'))
  done(network.request(alice, name))
  network.advance(25 * minute)
  done(network.accept(alice))
  expect(network.ledger.only(LockedAmulet).argument.lock.expiresAt).toBe('2026-01-01T00:35:00Z')
})

test('to collect burns the fee and makes the entry and its subscription', () => {
  const network = new Network()
  done(network.tap(alice, '250'))
  done(network.request(alice, name, 'https://alice.example', 'Alice'))
  done(network.accept(alice))
  const { reference, subscriptionData, payData } = network.ledger.only(SubscriptionInitialPayment).argument
  network.advance(minute)
  const collected = network.collect()
  expect(tree(collected)).toEqual([
    'AnsEntryContext_CollectInitialEntryPayment',
    '  AnsRules_CollectInitialEntryPayment',
    '    SubscriptionInitialPayment_Collect',
    '      OpenMiningRound_Fetch',
    '      create Subscription',
    '      create SubscriptionIdleState',
    '      LockedAmulet_UnlockV2',
    '        create Amulet',
    '      AmuletRules_Transfer',
    '        Archive Amulet',
    '        create Amulet',
    '    Archive Amulet',
    '    create AnsEntry',
  ])
  const entry = network.ledger.only(AnsEntry)
  const expiresAt = '2026-04-01T00:01:00Z'
  expect(entry.argument).toEqual({
    user: alice,
    dso,
    name,
    url: 'https://alice.example',
    description: 'Alice',
    expiresAt,
  })
  const subscription = network.ledger.only(Subscription)
  expect(subscription.argument).toEqual({ subscriptionData, reference })
  const idle = network.ledger.only(SubscriptionIdleState)
  expect(idle.argument).toEqual({
    subscription: subscription.contractId,
    subscriptionData,
    payData,
    nextPaymentDueAt: expiresAt,
    reference,
  })
  const result = { entryCid: entry.contractId, subscriptionStateCid: idle.contractId }
  expect(done(collected).nodes.slice(0, 2)).toMatchObject([{ result }, { result }])
  expect(amounts(network, alice)).toEqual(['50.0000000000'])
  expect(network.coinsOf(dso)).toEqual([])
  expect(network.ledger.list(LockedAmulet)).toEqual([])
  expect(network.ledger.list(AnsEntryContext)).toHaveLength(1)
})

test('a renewal extends the entry from its expiry, in a contract of its own, with the same context', () => {
  const network = new Network()
  network.register(alice, name)
  const before = network.ledger.only(AnsEntry)
  const { contractId: subscription } = network.ledger.only(Subscription)
  network.advance(60 * day)
  expect(tree(network.renew(alice))).toEqual([
    'SubscriptionIdleState_MakePayment',
    '  OpenMiningRound_Fetch',
    '  AmuletRules_Transfer',
    '    Archive Amulet',
    '    create LockedAmulet',
    '    create Amulet',
    '  create SubscriptionPayment',
  ])
  expect(network.ledger.only(SubscriptionPayment).argument).toMatchObject({
    subscription,
    thisPaymentDueAt: before.argument.expiresAt,
    targetAmount: '200.0000000000',
  })
  network.advance(day)
  expect(tree(network.collectRenewal())).toEqual([
    'AnsEntryContext_CollectEntryRenewalPayment',
    '  AnsRules_CollectEntryRenewalPayment',
    '    SubscriptionPayment_Collect',
    '      OpenMiningRound_Fetch',
    '      create SubscriptionIdleState',
    '      LockedAmulet_UnlockV2',
    '        create Amulet',
    '      AmuletRules_Transfer',
    '        Archive Amulet',
    '        create Amulet',
    '    Archive Amulet',
    '    AnsEntry_Renew',
    '      create AnsEntry',
  ])
  const after = network.ledger.only(AnsEntry)
  expect(after.contractId).not.toBe(before.contractId)
  expect(microsOf(after.argument.expiresAt) - microsOf(before.argument.expiresAt)).toBe(90 * day)
  expect({ ...after.argument, expiresAt: before.argument.expiresAt }).toEqual(before.argument)
  expect(network.ledger.only(SubscriptionIdleState).argument).toMatchObject({
    subscription,
    nextPaymentDueAt: after.argument.expiresAt,
  })
  expect(amounts(network, alice)).toEqual(['600.0000000000'])
})

test('a rejected payment gives the coin back and ends the subscription before it began', () => {
  const network = new Network()
  done(network.tap(alice, '200'))
  done(network.request(alice, name))
  done(network.accept(alice))
  const { reference } = network.ledger.only(SubscriptionInitialPayment).argument
  const rejected = network.rejectPayment()
  expect(tree(rejected)).toEqual([
    'AnsEntryContext_RejectEntryInitialPayment',
    '  AnsRules_RejectEntryInitialPayment',
    '    SubscriptionInitialPayment_Reject',
    '      create TerminatedSubscription',
    '      LockedAmulet_UnlockV2',
    '        create Amulet',
    '      OpenMiningRound_Fetch',
  ])
  expect(amounts(network, alice)).toEqual(['200.0000000000'])
  const [coin] = network.coinsOf(alice)
  expect(done(rejected).nodes[0]).toMatchObject({
    result: {
      amuletSum: { amulet: coin?.contractId, amuletPrice: '0.0050000000', round: { number: '1' } },
    },
  })
  expect(network.ledger.only(TerminatedSubscription).argument.reference).toBe(reference)
})

test('the contracts of a terminated subscription go with the context', () => {
  const network = new Network()
  done(network.request(alice, name))
  const { contractId: request } = network.ledger.only(SubscriptionRequest)
  done(network.ledger.submit({ actAs: [alice] }, exercise(SubscriptionRequest_Reject, request, {})))
  const terminatedSubscriptionCid = network.ledger.only(TerminatedSubscription).contractId
  const { contractId } = network.ledger.only(AnsEntryContext)
  const argument = { actor: dso, terminatedSubscriptionCid }
  const terminated = network.ledger.submit(
    { actAs: [dso] },
    exercise(AnsEntryContext_Terminate, contractId, argument),
  )
  expect(tree(terminated)).toEqual(['AnsEntryContext_Terminate', '  Archive TerminatedSubscription'])
  expect(network.ledger.list(AnsEntryContext)).toEqual([])
  expect(network.ledger.list(TerminatedSubscription)).toEqual([])
})

test('a cancelled subscription leaves the entry as it is', () => {
  const network = new Network()
  network.register(alice, name)
  const { contractId } = network.ledger.only(SubscriptionIdleState)
  const cancelled = network.ledger.submit(
    { actAs: [alice] },
    exercise(SubscriptionIdleState_CancelSubscription, contractId, {}),
  )
  expect(tree(cancelled)).toEqual([
    'SubscriptionIdleState_CancelSubscription',
    '  Subscription_Archive',
    '    create TerminatedSubscription',
  ])
  const result = { terminatedSubscription: network.ledger.only(TerminatedSubscription).contractId }
  expect(done(cancelled).nodes[0]).toMatchObject({ result })
  expect(network.ledger.list(Subscription)).toEqual([])
  expect(network.ledger.list(AnsEntry)).toHaveLength(1)
})

test('an entry and a subscription that were not renewed expire', () => {
  const network = new Network()
  network.register(alice, name)
  network.ledger.now = microsOf(network.ledger.only(AnsEntry).argument.expiresAt) + 1
  const by = { actAs: [dso] }
  const { contractId: entry } = network.ledger.only(AnsEntry)
  const { contractId: idle } = network.ledger.only(SubscriptionIdleState)
  expect(tree(network.ledger.submit(by, exercise(AnsEntry_Expire, entry, { actor: dso })))).toEqual([
    'AnsEntry_Expire',
  ])
  const expired = network.ledger.submit(
    by,
    exercise(SubscriptionIdleState_ExpireSubscription, idle, { actor: dso }),
  )
  expect(tree(expired)).toEqual([
    'SubscriptionIdleState_ExpireSubscription',
    '  Subscription_Archive',
    '    create TerminatedSubscription',
  ])
  expect(network.ledger.list(AnsEntry)).toEqual([])
  expect(network.ledger.list(SubscriptionIdleState)).toEqual([])
})
