import { expect, test } from 'vitest'
import { decimal } from '../../../src/ledger/daml/decimal.ts'
import { interpret } from '../../../src/ledger/daml/interpret.ts'
import {
  Amulet,
  LockedAmulet,
  LockedAmulet_OwnerExpireLockV2,
  LockedAmulet_UnlockV2,
} from '../../../src/ledger/daml/splice/amulet.ts'
import {
  AmuletRules,
  AmuletRules_DevNet_Tap,
  AmuletRules_Mint,
  AmuletRules_Transfer,
} from '../../../src/ledger/daml/splice/amulet-rules.ts'
import { AnsEntry, AnsEntry_Expire, AnsEntry_Renew } from '../../../src/ledger/daml/splice/ans-entry.ts'
import { AnsEntryContext_CollectInitialEntryPayment } from '../../../src/ledger/daml/splice/ans-entry-collection.ts'
import {
  AnsEntryContext,
  AnsEntryContext_Terminate,
} from '../../../src/ledger/daml/splice/ans-entry-context.ts'
import {
  AnsRules,
  AnsRules_CollectEntryRenewalPayment,
  AnsRules_CollectInitialEntryPayment,
} from '../../../src/ledger/daml/splice/ans-rules.ts'
import { OpenMiningRound } from '../../../src/ledger/daml/splice/round.ts'
import {
  Subscription,
  Subscription_Archive,
  TerminatedSubscription,
} from '../../../src/ledger/daml/splice/subscription.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_CancelSubscription,
  SubscriptionIdleState_ExpireSubscription,
  SubscriptionPayment,
} from '../../../src/ledger/daml/splice/subscription-idle-state.ts'
import {
  SubscriptionInitialPayment,
  SubscriptionInitialPayment_Collect,
  SubscriptionInitialPayment_Expire,
} from '../../../src/ledger/daml/splice/subscription-initial-payment.ts'
import {
  SubscriptionPayment_Collect,
  SubscriptionPayment_Expire,
  SubscriptionPayment_Reject,
} from '../../../src/ledger/daml/splice/subscription-payment.ts'
import {
  SubscriptionRequest,
  SubscriptionRequest_AcceptAndMakePayment,
  SubscriptionRequest_Reject,
  SubscriptionRequest_Withdraw,
} from '../../../src/ledger/daml/splice/subscription-request.ts'
import { microsOf, timeOf } from '../../../src/ledger/daml/time.ts'
import { create, exercise, tree } from './memory-ledger.ts'
import { alice, bob, day, done, dso, minute, Network, refusal } from './network.ts'

const name = 'alice.unverified.cns'

function unmet(requirement: string): string {
  return `INTERPRETATION_USER_ERROR: The requirement '${requirement}' was not met.`
}

function expiry(network: Network): number {
  return microsOf(network.ledger.only(AnsEntry).argument.expiresAt)
}

/** A network on which alice has paid for a name and nobody has collected yet. */
function paid(): Network {
  const network = new Network()
  done(network.tap(alice, '1000'))
  done(network.request(alice, name))
  done(network.accept(alice))
  return network
}

/** A network on which alice has paid for a renewal and nobody has collected yet. */
function renewing(): Network {
  const network = new Network()
  network.register(alice, name)
  network.advance(61 * day)
  done(network.renew(alice))
  return network
}

function amounts(network: Network, owner: string): readonly string[] {
  return network.coinsOf(owner).map(({ argument }) => argument.amount.initialAmount)
}

test('without enough coin nothing is accepted, and the refusal says how much is missing', () => {
  const network = new Network()
  done(network.tap(alice, '199.9999999999'))
  done(network.request(alice, name))
  expect(refusal(network.accept(alice))).toBe(
    'INTERPRETATION_USER_ERROR: Insufficient funds: you are missing 0.0000000001 to complete this transfer.',
  )
  expect(amounts(network, alice)).toEqual(['199.9999999999'])
})

test('a price that does not divide the fee is rounded as Daml divides', () => {
  const network = new Network(decimal('0.03'))
  done(network.tap(alice, '40'))
  done(network.request(alice, name))
  done(network.accept(alice))
  const payment = network.ledger.only(SubscriptionInitialPayment)
  expect(payment.argument.targetAmount).toBe('33.3333333333')
  done(network.collect())
  expect(amounts(network, alice)).toEqual(['6.6666666667'])
})

test('a fee in coin is taken literally, one in an unknown unit is refused', () => {
  const network = new Network()
  done(network.tap(alice, '40'))
  const { argument } = network.ledger.only(AnsRules)
  const subscriptionData = { sender: alice, receiver: dso, provider: dso, dso, description: '' }
  const days = { microseconds: String(day) }
  const ask = (unit: 'AmuletUnit' | 'ExtUnit') => {
    const paymentAmount = { amount: decimal('12.5'), unit }
    const payData = { paymentAmount, paymentInterval: days, paymentDuration: days }
    const asked = network.ledger.submit(
      { actAs: [alice, argument.dso] },
      create(SubscriptionRequest, { subscriptionData, payData }),
    )
    const [node] = done(asked).nodes
    return node?.kind === 'create' ? node.contract.contractId : ''
  }
  done(network.accept(alice, ask('AmuletUnit')))
  expect(network.ledger.only(SubscriptionInitialPayment).argument.targetAmount).toBe('12.5000000000')
  expect(refusal(network.accept(alice, ask('ExtUnit')))).toBe(
    'INTERPRETATION_USER_ERROR: ExtUnit: bare extension constructors are not allowed at runtime',
  )
})

test('a payment has the authority and the lock of sender, receiver and provider, and of the wallet that makes it', () => {
  const network = new Network()
  done(network.tap(alice, '1000'))
  const provider = `provider::1220${'9'.repeat(64)}`
  const days = { microseconds: String(day) }
  const argument = {
    subscriptionData: { sender: alice, receiver: bob, provider, dso, description: 'news' },
    payData: {
      paymentAmount: { amount: decimal('1'), unit: 'USDUnit' as const },
      paymentInterval: days,
      paymentDuration: days,
    },
  }
  const request = create(SubscriptionRequest, argument)
  expect(refusal(network.ledger.submit({ actAs: [alice, bob] }, request))).toMatch(
    /^DAML_AUTHORIZATION_ERROR: /,
  )
  done(network.ledger.submit({ actAs: [alice, bob, provider] }, request))
  const { contractId, signatories } = network.ledger.only(SubscriptionRequest)
  expect(signatories).toEqual([alice, bob, provider])
  const inputs = network.inputsOf(alice)
  const accept = (walletProvider: string, ...actAs: readonly string[]) =>
    network.ledger.submit(
      network.as(...actAs),
      exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, {
        inputs,
        context: network.paymentContext,
        walletProvider,
      }),
    )
  expect(refusal(accept(dso, alice))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  const { nodes } = done(accept(dso, alice, dso))
  expect(nodes.slice(0, 3).map((node) => node.kind === 'exercise' && node.actingParties)).toEqual([
    [dso, alice],
    [alice],
    [dso, alice, bob, provider],
  ])
  expect(network.ledger.only(LockedAmulet).argument.lock.holders).toEqual([bob, provider])
})

test('a request is accepted once, and neither after it was rejected nor withdrawn', () => {
  const network = new Network()
  done(network.tap(alice, '1000'))
  done(network.request(alice, name))
  const { contractId: accepted } = network.ledger.only(SubscriptionRequest)
  done(network.accept(alice))
  done(network.request(alice, name))
  const { contractId: rejected } = network.ledger.only(SubscriptionRequest)
  const reject = exercise(SubscriptionRequest_Reject, rejected, {})
  expect(tree(network.ledger.submit({ actAs: [alice] }, reject))).toEqual([
    'SubscriptionRequest_Reject',
    '  create TerminatedSubscription',
  ])
  done(network.request(alice, name))
  const { contractId: withdrawn } = network.ledger.only(SubscriptionRequest)
  const withdraw = exercise(SubscriptionRequest_Withdraw, withdrawn, {})
  expect(tree(network.ledger.submit({ actAs: [dso] }, withdraw))).toEqual([
    'SubscriptionRequest_Withdraw',
    '  create TerminatedSubscription',
  ])
  for (const request of [accepted, rejected, withdrawn]) {
    expect(refusal(network.accept(alice, request))).toBe(
      `CONTRACT_NOT_FOUND: Contract could not be found with id ${request}`,
    )
  }
})

test('only the sender accepts or rejects a request, and only the receiver withdraws it', () => {
  const network = new Network()
  done(network.tap(alice, '200'))
  done(network.request(alice, name))
  const { contractId } = network.ledger.only(SubscriptionRequest)
  const payment = { inputs: network.inputsOf(alice), context: network.paymentContext, walletProvider: dso }
  for (const [party, command] of [
    [dso, exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, payment)],
    [dso, exercise(SubscriptionRequest_Reject, contractId, {})],
    [alice, exercise(SubscriptionRequest_Withdraw, contractId, {})],
  ] as const) {
    expect(refusal(network.ledger.submit(network.as(party), command))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  }
})

test("nobody pays with another's coin, also where it is disclosed", () => {
  const network = new Network()
  done(network.tap(bob, '200'))
  done(network.request(alice, name))
  const { contractId } = network.ledger.only(SubscriptionRequest)
  const accept = exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, {
    inputs: network.inputsOf(bob),
    context: network.paymentContext,
    walletProvider: alice,
  })
  const [coin] = network.coinsOf(bob)
  expect(refusal(network.ledger.submit(network.as(alice), accept))).toBe(
    `CONTRACT_NOT_FOUND: Contract could not be found with id ${coin?.contractId}`,
  )
  const disclosed = [...network.reference, ...network.coinsOf(bob)]
  expect(refusal(network.ledger.submit({ actAs: [alice], disclosed }, accept))).toBe(
    `INTERPRETATION_USER_ERROR: Contract group identifier mismatch: expected owner ${alice} for ${coin?.contractId}`,
  )
})

test('the same coin does not pay twice', () => {
  const network = new Network()
  done(network.tap(alice, '100'))
  done(network.request(alice, name))
  const { contractId } = network.ledger.only(SubscriptionRequest)
  const inputs = [...network.inputsOf(alice), ...network.inputsOf(alice)]
  const payment = { inputs, context: network.paymentContext, walletProvider: alice }
  const accept = exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, payment)
  expect(refusal(network.ledger.submit(network.as(alice), accept))).toMatch(/^CONTRACT_NOT_ACTIVE: /)
})

test("coin of another round's time than that of the payment is not collected", () => {
  const network = paid()
  network.advance(10 * minute)
  network.nextRound()
  expect(refusal(network.collect())).toBe(
    unmet('Round at subscription request 1 matches round at collection 2'),
  )
  expect(tree(network.rejectPayment())).toContain('      LockedAmulet_UnlockV2')
})

test("a renewal of another round's time than that of the payment is not collected", () => {
  const network = new Network()
  network.register(alice, name)
  network.advance(61 * day)
  done(network.renew(alice))
  network.nextRound()
  network.advance(day)
  expect(refusal(network.collectRenewal())).toBe(
    unmet('Round at subscription payment 2 matches round at collection 3'),
  )
})

test('a round that has not opened yet is not paid in', () => {
  const network = new Network()
  done(network.tap(alice, '200'))
  done(network.request(alice, name))
  const { contractId } = network.ledger.only(SubscriptionRequest)
  const later = network.ledger.list(OpenMiningRound).at(-1)
  const { amuletRules, context } = network.paymentContext
  const accept = exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, {
    inputs: network.inputsOf(alice),
    context: { amuletRules, context: { ...context, openMiningRound: later?.contractId ?? '' } },
    walletProvider: alice,
  })
  expect(refusal(network.ledger.submit(network.as(alice), accept))).toBe(
    "INTERPRETATION_USER_ERROR: Ledger time is before deadline 'openRound.opensAt' at 2026-01-01T00:10:00Z",
  )
})

test("another DSO's round sets no price", () => {
  const network = new Network()
  done(network.tap(alice, '200'))
  done(network.request(alice, name))
  const { argument } = network.round
  const round = create(OpenMiningRound, { ...argument, dso: bob, amuletPrice: decimal('1000') })
  done(network.ledger.submit({ actAs: [bob] }, round))
  const foreign = network.ledger.list(OpenMiningRound).at(-1)
  const { contractId } = network.ledger.only(SubscriptionRequest)
  const { amuletRules, context } = network.paymentContext
  const accept = exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, {
    inputs: network.inputsOf(alice),
    context: { amuletRules, context: { ...context, openMiningRound: foreign?.contractId ?? '' } },
    walletProvider: alice,
  })
  expect(refusal(network.ledger.submit(network.as(alice), accept))).toBe(
    `INTERPRETATION_USER_ERROR: Contract group identifier mismatch: expected dso ${dso} for ${foreign?.contractId}`,
  )
})

test("another DSO's amulet rules move no coin", () => {
  const network = new Network()
  done(network.tap(alice, '200'))
  done(network.request(alice, name))
  const { argument } = network.ledger.only(AmuletRules)
  done(network.ledger.submit({ actAs: [bob] }, create(AmuletRules, { ...argument, dso: bob })))
  const foreign = network.ledger.list(AmuletRules).at(-1)?.contractId ?? ''
  const { contractId } = network.ledger.only(SubscriptionRequest)
  const context = { ...network.paymentContext, amuletRules: foreign }
  const payment = { inputs: network.inputsOf(alice), context, walletProvider: alice }
  const accept = exercise(SubscriptionRequest_AcceptAndMakePayment, contractId, payment)
  expect(refusal(network.ledger.submit(network.as(alice), accept))).toBe(
    `INTERPRETATION_USER_ERROR: DSO party expected by caller '${dso}' does not match actual DSO party '${bob}'`,
  )
})

test('the checks of an initial payment come in their order: DSO, sender, user, reference', () => {
  const network = paid()
  done(network.tap(bob, '200'))
  done(network.request(bob, 'bob.unverified.cns'))
  done(network.accept(bob))
  const [mine, theirs] = network.ledger.list(SubscriptionInitialPayment)
  if (mine === undefined || theirs === undefined) throw new Error('two payments')
  const collect = (user: string, payment: typeof mine, context: typeof mine) =>
    refusal(
      network.ledger.submit(
        { actAs: [dso, alice, bob] },
        exercise(AnsRules_CollectInitialEntryPayment, network.ansRules, {
          user,
          entryContext: network.contextOf(context),
          paymentCid: payment.contractId,
          transferContext: network.transferContext,
        }),
      ),
    )
  expect(collect(bob, mine, mine)).toBe(unmet('Sender matches'))
  expect(collect(alice, mine, theirs)).toBe(unmet('User matches'))
  done(network.request(alice, 'alice-2.unverified.cns'))
  done(network.accept(alice))
  const second = network.ledger.list(SubscriptionInitialPayment).at(-1) as typeof mine
  expect(collect(alice, second, mine)).toBe(unmet('Subscription reference matches'))
})

test('a payment to another provider than the DSO is not for a name', () => {
  const network = paid()
  const payment = network.ledger.only(SubscriptionInitialPayment)
  const { argument } = payment
  const subscriptionData = { ...argument.subscriptionData, provider: bob }
  const foreign = create(SubscriptionInitialPayment, { ...argument, subscriptionData })
  done(network.ledger.submit({ actAs: [alice, bob, dso] }, foreign))
  expect(refusal(network.collect(network.ledger.list(SubscriptionInitialPayment).at(-1)))).toBe(
    unmet('matching DSO party'),
  )
})

test("another DSO's rules do not take a context of this one", () => {
  const network = paid()
  const { argument } = network.ledger.only(AnsRules)
  done(network.ledger.submit({ actAs: [bob] }, create(AnsRules, { ...argument, dso: bob })))
  const payment = network.ledger.only(SubscriptionInitialPayment)
  const { subscriptionData } = payment.argument
  const toBob = { ...subscriptionData, provider: bob }
  const forged = create(SubscriptionInitialPayment, { ...payment.argument, subscriptionData: toBob })
  const [node] = done(network.ledger.submit({ actAs: [alice, bob, dso] }, forged)).nodes
  const collect = exercise(
    AnsRules_CollectInitialEntryPayment,
    network.ledger.list(AnsRules).at(-1)?.contractId ?? '',
    {
      user: alice,
      entryContext: network.contextOf(payment),
      paymentCid: node?.kind === 'create' ? node.contract.contractId : '',
      transferContext: network.transferContext,
    },
  )
  expect(refusal(network.ledger.submit({ actAs: [alice, bob], readAs: [dso] }, collect))).toBe(
    unmet('matching DSO party'),
  )
})

test('an initial payment is collected once', () => {
  const network = paid()
  const payment = network.ledger.only(SubscriptionInitialPayment)
  done(network.collect(payment))
  expect(refusal(network.collect(payment))).toMatch(/^CONTRACT_NOT_FOUND: /)
})

test('a renewal is collected only for an entry that matches its context, is in time and not expired', () => {
  const network = renewing()
  const payment = network.ledger.only(SubscriptionPayment)
  const entry = network.ledger.only(AnsEntry)
  const other = (change: Partial<typeof entry.argument>) => {
    const made = network.ledger.submit(
      { actAs: [alice, bob, dso] },
      create(AnsEntry, { ...entry.argument, ...change }),
    )
    const [node] = done(made).nodes
    return node?.kind === 'create' ? node.contract.contractId : ''
  }
  const mismatch = unmet('Current entry matches subscription context')
  const late = timeOf(expiry(network) + 1)
  for (const change of [{ user: bob }, { name: 'x' }, { url: 'x' }, { description: 'x' }]) {
    expect(refusal(network.collectRenewal(payment, other({ ...change, expiresAt: late })))).toBe(mismatch)
  }
  expect(refusal(network.collectRenewal(payment, other({ expiresAt: late })))).toBe(
    unmet('Subscription entry renewal times are in sync'),
  )
  network.ledger.now = microsOf(entry.argument.expiresAt)
  expect(refusal(network.collectRenewal(payment, entry.contractId))).toBe(
    unmet('Current entry is not expired'),
  )
  network.ledger.now -= 1
  expect(refusal(network.collectRenewal(payment, entry.contractId))).not.toMatch(/expired/)
})

test('the checks of a renewal begin with those of a payment and its context', () => {
  const network = renewing()
  const payment = network.ledger.only(SubscriptionPayment)
  done(network.request(bob, name))
  const [, foreign] = network.ledger.list(AnsEntryContext)
  const collect = (user: string, entryContext: string) =>
    refusal(
      network.ledger.submit(
        { actAs: [dso, alice, bob] },
        exercise(AnsRules_CollectEntryRenewalPayment, network.ansRules, {
          user,
          entryContext,
          paymentCid: payment.contractId,
          entryCid: network.ledger.only(AnsEntry).contractId,
          transferContext: network.transferContext,
        }),
      ),
    )
  expect(collect(bob, foreign?.contractId ?? '')).toBe(unmet('Sender matches'))
  expect(collect(alice, foreign?.contractId ?? '')).toBe(unmet('User matches'))
  done(network.request(alice, name))
  const own = network.ledger.list(AnsEntryContext).at(-1)
  expect(collect(alice, own?.contractId ?? '')).toBe(unmet('Subscription reference matches'))
})

test('a renewal is paid within the payment duration before it is due, and also late', () => {
  const network = new Network()
  network.register(alice, name)
  const due = expiry(network)
  network.ledger.now = due - 30 * day - 1
  expect(refusal(network.renew(alice))).toBe(
    unmet('The next due date is close enough to make the next payment.'),
  )
  network.ledger.now = due + 7 * day
  done(network.renew(alice))
  expect(network.ledger.only(SubscriptionPayment).argument.thisPaymentDueAt).toBe(timeOf(due))
})

test('a renewal can be paid from the very moment that its window opens', () => {
  const network = new Network()
  network.register(alice, name)
  network.ledger.now = expiry(network) - 30 * day
  done(network.renew(alice))
})

test('an entry is expired by its owner and by the DSO, after its time and not at it, and by nobody else', () => {
  const network = new Network()
  network.register(alice, name)
  const { contractId } = network.ledger.only(AnsEntry)
  const expire = (actor: string) => {
    const before = network.ledger.list(AnsEntry)
    const outcome = network.ledger.submit(
      { actAs: [actor], readAs: [alice] },
      exercise(AnsEntry_Expire, contractId, { actor }),
    )
    for (const entry of before) network.ledger.active.set(entry.contractId, entry)
    return outcome.kind === 'refused' ? refusal(outcome) : 'expired'
  }
  network.ledger.now = expiry(network)
  for (const actor of [alice, dso]) expect(expire(actor)).toBe(unmet('Contract expired'))
  network.ledger.now += 1
  expect([alice, dso, bob].map(expire)).toEqual([
    'expired',
    'expired',
    unmet(`Actor '${bob}' is a signatory`),
  ])
})

test('an entry is renewed by owner and DSO together, and only forward', () => {
  const network = new Network()
  network.register(alice, name)
  const { contractId } = network.ledger.only(AnsEntry)
  const renew = (actAs: readonly string[], microseconds: string) =>
    refusal(
      network.ledger.submit({ actAs }, exercise(AnsEntry_Renew, contractId, { extension: { microseconds } })),
    )
  expect(renew([alice], '1')).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(renew([dso], '1')).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(renew([alice, dso], '0')).toBe(unmet('Extension positive'))
  expect(renew([alice, dso], '-1')).toBe(unmet('Extension positive'))
  expect(renew([alice, dso], '9223372036854775807')).toMatch(/^DAML_INTERPRETATION_ERROR: .*out of range/)
})

test("a context ends by one of its own signatories, and with its own subscription's end only", () => {
  const network = new Network()
  for (const user of [alice, alice]) {
    done(network.request(user, name))
    const { contractId } = network.ledger.only(SubscriptionRequest)
    done(network.ledger.submit({ actAs: [dso] }, exercise(SubscriptionRequest_Withdraw, contractId, {})))
  }
  const [context] = network.ledger.list(AnsEntryContext)
  const [own, other] = network.ledger.list(TerminatedSubscription)
  const terminate = (actor: string, terminatedSubscriptionCid: string | undefined) =>
    network.ledger.submit(
      { actAs: [actor], readAs: [dso] },
      exercise(AnsEntryContext_Terminate, context?.contractId ?? '', {
        actor,
        terminatedSubscriptionCid: terminatedSubscriptionCid ?? '',
      }),
    )
  expect(refusal(terminate(bob, own?.contractId))).toBe(unmet('Actor is signatory'))
  expect(refusal(terminate(dso, other?.contractId))).toBe(unmet('Reference matches'))
  done(terminate(alice, own?.contractId))
})

test('a subscription is expired after its due date by a signatory, and cancelled at any time by the sender', () => {
  const network = new Network()
  network.register(alice, name)
  const idle = network.ledger.only(SubscriptionIdleState)
  const expire = (actor: string) =>
    network.ledger.submit(
      { actAs: [actor], readAs: [dso] },
      exercise(SubscriptionIdleState_ExpireSubscription, idle.contractId, { actor }),
    )
  network.ledger.now = microsOf(idle.argument.nextPaymentDueAt)
  expect(refusal(expire(alice))).toBe(unmet('Last subscription payment was missed'))
  network.ledger.now += 1
  expect(refusal(expire(bob))).toBe(unmet(`Actor '${bob}' is a signatory`))
  const cancel = exercise(SubscriptionIdleState_CancelSubscription, idle.contractId, {})
  expect(refusal(network.ledger.submit({ actAs: [dso] }, cancel))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  done(expire(alice))
})

test('every choice of a running subscription wants the subscription that its state was made for', () => {
  const network = renewing()
  const { argument, contractId } = network.ledger.only(Subscription)
  const { argument: payment } = network.ledger.only(SubscriptionPayment)
  const by = { actAs: [alice, dso] }
  const other = create(Subscription, { ...argument, reference: contractId })
  const [node] = done(network.ledger.submit(by, other)).nodes
  const subscription = node?.kind === 'create' ? node.contract.contractId : ''
  const { targetAmount, lockedAmulet, round, thisPaymentDueAt, ...rest } = payment
  const idleArgument = { ...rest, subscription, nextPaymentDueAt: thisPaymentDueAt }
  done(network.ledger.submit(by, create(SubscriptionIdleState, idleArgument)))
  done(network.ledger.submit(by, create(SubscriptionPayment, { ...payment, subscription })))
  const idle = network.ledger.only(SubscriptionIdleState).contractId
  const paying = network.ledger.list(SubscriptionPayment).at(-1)?.contractId ?? ''
  const { transferContext } = network
  const mismatch = `INTERPRETATION_USER_ERROR: Contract mismatch: the Splice.Wallet.Subscriptions:Subscription referenced by ${subscription} is not the expected one`
  expect(refusal(network.renew(alice, idle))).toBe(mismatch)
  for (const command of [
    exercise(SubscriptionIdleState_ExpireSubscription, idle, { actor: dso }),
    exercise(SubscriptionIdleState_CancelSubscription, idle, {}),
    exercise(SubscriptionPayment_Collect, paying, { transferContext }),
    exercise(SubscriptionPayment_Reject, paying, { transferContext }),
    exercise(SubscriptionPayment_Expire, paying, { actor: dso, transferContext }),
  ]) {
    expect(refusal(network.ledger.submit(by, command))).toBe(mismatch)
  }
})

test('a subscription itself ends by all of its signatories together', () => {
  const network = new Network()
  network.register(alice, name)
  const { contractId } = network.ledger.only(Subscription)
  const archive = exercise(Subscription_Archive, contractId, {})
  for (const party of [alice, dso]) {
    expect(refusal(network.ledger.submit({ actAs: [party] }, archive))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  }
  done(network.ledger.submit({ actAs: [alice, dso] }, archive))
  expect(network.ledger.list(TerminatedSubscription)).toHaveLength(1)
})

test('an initial payment that nobody collects comes back when its lock expires', () => {
  const network = paid()
  const { contractId } = network.ledger.only(SubscriptionInitialPayment)
  const expire = (actor: string) =>
    network.ledger.submit(
      { actAs: [actor], readAs: [dso] },
      exercise(SubscriptionInitialPayment_Expire, contractId, {
        actor,
        transferContext: network.transferContext,
      }),
    )
  network.advance(20 * minute - 1)
  expect(refusal(expire(alice))).toBe(
    "INTERPRETATION_USER_ERROR: Ledger time is before deadline 'Lock.expiresAt' at 2026-01-01T00:20:00Z",
  )
  network.advance(1)
  expect(refusal(expire(bob))).toBe(unmet(`Actor '${bob}' is a signatory`))
  expect(tree(expire(alice))).toEqual([
    'SubscriptionInitialPayment_Expire',
    '  create TerminatedSubscription',
    '  LockedAmulet_OwnerExpireLockV2',
    '    create Amulet',
    '  OpenMiningRound_Fetch',
  ])
  expect(amounts(network, alice)).toEqual(['800.0000000000', '200.0000000000'])
})

test('a renewal that is rejected or expires leaves the subscription idle with the same due date', () => {
  const network = renewing()
  const due = network.ledger.only(SubscriptionPayment).argument.thisPaymentDueAt
  const { transferContext } = network
  const rejected = network.ledger.submit(
    { actAs: [dso] },
    exercise(SubscriptionPayment_Reject, network.ledger.only(SubscriptionPayment).contractId, {
      transferContext,
    }),
  )
  expect(tree(rejected)).toEqual([
    'SubscriptionPayment_Reject',
    '  create SubscriptionIdleState',
    '  LockedAmulet_UnlockV2',
    '    create Amulet',
    '  OpenMiningRound_Fetch',
  ])
  expect(network.ledger.only(SubscriptionIdleState).argument.nextPaymentDueAt).toBe(due)
  done(network.renew(alice))
  const { contractId } = network.ledger.only(SubscriptionPayment)
  const expire = (actor: string) =>
    network.ledger.submit(
      { actAs: [actor], readAs: [dso] },
      exercise(SubscriptionPayment_Expire, contractId, { actor, transferContext }),
    )
  expect(refusal(expire(alice))).toMatch(/Ledger time is before deadline 'Lock.expiresAt'/)
  network.advance(20 * minute)
  expect(refusal(expire(bob))).toBe(unmet(`Actor '${bob}' is a signatory`))
  done(expire(dso))
  expect(network.ledger.only(SubscriptionIdleState).argument.nextPaymentDueAt).toBe(due)
  expect(network.ledger.list(LockedAmulet)).toEqual([])
})

test('only the receiver rejects, and only all signatories together collect', () => {
  const network = paid()
  const { contractId } = network.ledger.only(SubscriptionInitialPayment)
  const { transferContext } = network
  for (const party of [alice, dso]) {
    const collect = exercise(SubscriptionInitialPayment_Collect, contractId, { transferContext })
    expect(refusal(network.ledger.submit(network.as(party), collect))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  }
  const collectByUser = exercise(
    AnsEntryContext_CollectInitialEntryPayment,
    network.ledger.only(AnsEntryContext).contractId,
    { paymentCid: contractId, transferContext, ansRulesCid: network.ansRules },
  )
  expect(refusal(network.ledger.submit(network.as(alice), collectByUser))).toMatch(
    /^DAML_AUTHORIZATION_ERROR: /,
  )
})

test('a lock is opened by owner and holders together, or by the owner after its time', () => {
  const network = paid()
  const { contractId } = network.ledger.only(LockedAmulet)
  const unlock = exercise(LockedAmulet_UnlockV2, contractId, {})
  const expire = exercise(LockedAmulet_OwnerExpireLockV2, contractId, {})
  for (const party of [alice, dso]) {
    expect(refusal(network.ledger.submit({ actAs: [party] }, unlock))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  }
  network.advance(20 * minute)
  expect(refusal(network.ledger.submit({ actAs: [dso] }, expire))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  expect(tree(network.ledger.submit({ actAs: [alice] }, expire))).toEqual([
    'LockedAmulet_OwnerExpireLockV2',
    '  create Amulet',
  ])
})

test('coin is tapped on a network for development, in positive amounts up to 100,000,000', () => {
  const network = new Network()
  const tapped = network.tap(alice, '100000000')
  expect(tree(tapped)).toEqual(['AmuletRules_DevNet_Tap', '  AmuletRules_Mint', '    create Amulet'])
  const [coin] = network.coinsOf(alice)
  expect(done(tapped).nodes[0]).toMatchObject({
    result: { amuletSum: { amulet: coin?.contractId, amuletPrice: '0.0050000000', round: { number: '1' } } },
  })
  expect(refusal(network.tap(alice, '100000000.0000000001'))).toBe(unmet('Tapped amount <= 100,000,000'))
  for (const amount of ['0', '-1']) {
    expect(refusal(network.tap(alice, amount))).toBe(
      'TEMPLATE_PRECONDITION_VIOLATED: The precondition of Splice.Amulet:Amulet does not hold',
    )
  }
  const { argument } = network.ledger.only(AmuletRules)
  const mainNet = create(AmuletRules, { ...argument, isDevNet: false })
  done(network.ledger.submit({ actAs: [dso] }, mainNet))
  const { contractId } = network.ledger.list(AmuletRules).at(-1) as { contractId: string }
  const tap = { receiver: alice, amount: decimal('1'), openRound: network.round.contractId }
  const devNet = unmet('isDevNet flag is true')
  expect(
    refusal(network.ledger.submit(network.as(alice), exercise(AmuletRules_DevNet_Tap, contractId, tap))),
  ).toBe(devNet)
  const mint = exercise(AmuletRules_Mint, contractId, { ...tap, reason: null })
  expect(refusal(network.ledger.submit(network.as(alice, dso), mint))).toBe(devNet)
})

test('nobody mints or burns alone', () => {
  const network = new Network()
  done(network.tap(alice, '1'))
  const [coin] = network.coinsOf(alice)
  const archive = {
    kind: 'exercise',
    template: Amulet.name,
    contractId: coin?.contractId ?? '',
    choice: 'Archive',
    argument: {},
  } as const
  const mint = { receiver: alice, amount: decimal('1'), openRound: network.round.contractId, reason: null }
  for (const party of [alice, dso]) {
    for (const command of [archive, exercise(AmuletRules_Mint, network.amuletRules, mint)]) {
      expect(refusal(network.ledger.submit(network.as(party), command))).toMatch(
        /^DAML_AUTHORIZATION_ERROR: /,
      )
    }
  }
  expect(tree(network.ledger.submit({ actAs: [alice, dso] }, archive))).toEqual(['Archive Amulet'])
})

type Output = Parameters<typeof AmuletRules_Transfer.run>[2]['transfer']['outputs'][number]

function transferOf(network: Network, outputs: readonly Output[], expectedDso: string | null = dso) {
  const transfer = { sender: alice, provider: alice, inputs: network.inputsOf(alice), outputs }
  const { context } = network.paymentContext
  return exercise(AmuletRules_Transfer, network.amuletRules, { transfer, context, expectedDso })
}

function outputTo(receiver: string, amount: string, change: Partial<Output> = {}): Output {
  return { receiver, receiverFeeRatio: decimal('0'), amount: decimal(amount), lock: null, ...change }
}

test('a transfer hands coin to receivers that agree and gives the rest back', () => {
  const network = new Network()
  done(network.tap(alice, '10'))
  done(network.tap(alice, '5'))
  const transfer = transferOf(network, [outputTo(bob, '12'), outputTo(alice, '1')])
  expect(refusal(network.ledger.submit(network.as(alice), transfer))).toMatch(/^DAML_AUTHORIZATION_ERROR: /)
  const [node] = done(network.ledger.submit(network.as(alice, bob), transfer)).nodes
  expect(amounts(network, bob)).toEqual(['12.0000000000'])
  expect(amounts(network, alice)).toEqual(['1.0000000000', '2.0000000000'])
  const [toBob] = network.coinsOf(bob)
  const [toAlice, change] = network.coinsOf(alice)
  expect(node).toMatchObject({
    result: {
      round: { number: '1' },
      createdAmulets: [
        { tag: 'TransferResultAmulet', value: toBob?.contractId },
        { tag: 'TransferResultAmulet', value: toAlice?.contractId },
      ],
      senderChangeAmulet: change?.contractId,
      summary: {
        inputAmuletAmount: '15.0000000000',
        outputFees: ['0.0000000000', '0.0000000000'],
        senderChangeAmount: '2.0000000000',
        amuletPrice: '0.0050000000',
      },
    },
  })
})

test('a transfer checks what it is asked to make', () => {
  const network = new Network()
  done(network.tap(alice, '10'))
  const submit = (output: Output, expectedDso: string | null = dso) =>
    refusal(
      network.ledger.submit(network.as(alice, bob), transferOf(network, [output], expectedDso)),
    ).replace('INTERPRETATION_USER_ERROR: ', '')
  const lock = { holders: [bob], expiresAt: timeOf(network.ledger.now), optContext: null }
  expect(submit(outputTo(bob, '1'), null)).toMatch(/^Expected DSO party not set by caller/)
  expect(submit(outputTo(bob, '1', { receiverFeeRatio: decimal('1.1') }))).toMatch(
    /is not between 0.0 and 1.0$/,
  )
  expect(submit(outputTo(bob, '1', { receiverFeeRatio: decimal('-0.1') }))).toMatch(
    /is not between 0.0 and 1.0$/,
  )
  expect(submit(outputTo(bob, '0'))).toBe("The requirement 'Amount is positive' was not met.")
  expect(submit(outputTo(alice, '1', { lock }))).toBe(
    "Ledger time is past deadline 'lock.expiresAt' at 2026-01-01T00:00:00Z",
  )
})

test('a transfer takes no more inputs, outputs and lock holders than the round allows', () => {
  const network = new Network()
  const { argument } = network.round
  const transferConfigUsd = {
    ...argument.transferConfigUsd,
    maxNumInputs: '1',
    maxNumOutputs: '1',
    maxNumLockHolders: '1',
  }
  done(network.ledger.submit({ actAs: [dso] }, create(OpenMiningRound, { ...argument, transferConfigUsd })))
  done(network.tap(alice, '10'))
  const expiresAt = timeOf(network.ledger.now + day)
  const submit = (...outputs: readonly Output[]) =>
    refusal(network.ledger.submit(network.as(alice, bob, dso), transferOf(network, outputs)))
  const lock = (...holders: readonly string[]) => ({ lock: { holders, expiresAt, optContext: null } })
  expect(submit(outputTo(alice, '1', lock(bob, dso)))).toBe(
    unmet('Fewer than the allowed number of lock holders'),
  )
  expect(submit(outputTo(alice, '1'), outputTo(alice, '1'))).toMatch(
    /More than the maximum number of outputs$/,
  )
  done(
    network.ledger.submit(
      network.as(alice, bob),
      transferOf(network, [outputTo(alice, '1', lock(alice, bob, bob))]),
    ),
  )
  expect(network.ledger.only(LockedAmulet).argument.lock.holders).toEqual([bob])
  done(network.tap(alice, '10'))
  expect(submit(outputTo(alice, '1'))).toMatch(/More than the maximum number of inputs$/)
})

test('a rate of holding fees is kept on coin in coin, and charged by nothing', () => {
  const network = new Network()
  const { argument } = network.round
  const holdingFee = { rate: decimal('0.0000190259') }
  const transferConfigUsd = { ...argument.transferConfigUsd, holdingFee }
  done(network.ledger.submit({ actAs: [dso] }, create(OpenMiningRound, { ...argument, transferConfigUsd })))
  done(network.tap(alice, '10'))
  expect(network.coinsOf(alice)[0]?.argument.amount.ratePerRound.rate).toBe('0.0038051800')
  network.advance(365 * day)
  done(network.ledger.submit(network.as(alice), transferOf(network, [outputTo(alice, '10')])))
  expect(amounts(network, alice)).toEqual(['10.0000000000'])
})

test('preconditions of rules, rounds, requests and coin are kept', () => {
  const network = new Network()
  const ans = network.ledger.only(AnsRules).argument
  const amulet = network.ledger.only(AmuletRules).argument
  const round = network.round.argument
  const noTime = { microseconds: '0' }
  const config = amulet.configSchedule.initialValue
  const scheduled = (change: Partial<typeof config>) => ({
    ...amulet,
    configSchedule: { initialValue: { ...config, ...change }, futureValues: [] },
  })
  const coin = {
    dso,
    owner: dso,
    amount: { initialAmount: decimal('1'), createdAt: { number: '0' }, ratePerRound: { rate: decimal('0') } },
  }
  const lock = { holders: [dso], expiresAt: timeOf(network.ledger.now), optContext: null }
  const nothing = { ...coin, amount: { ...coin.amount, initialAmount: decimal('0') } }
  const early = { ...coin, amount: { ...coin.amount, createdAt: { number: '-1' } } }
  const paying = { ...coin, amount: { ...coin.amount, ratePerRound: { rate: decimal('-1') } } }
  const commands = [
    create(AnsRules, { ...ans, config: { ...ans.config, renewalDuration: noTime } }),
    create(AnsRules, { ...ans, config: { ...ans.config, entryLifetime: noTime } }),
    create(AnsRules, { ...ans, config: { ...ans.config, entryFee: decimal('0') } }),
    create(AmuletRules, scheduled({ tickDuration: noTime })),
    create(AmuletRules, scheduled({ transferConfig: { ...config.transferConfig, maxNumInputs: '0' } })),
    create(AmuletRules, {
      ...amulet,
      configSchedule: { initialValue: config, futureValues: [{ _1: timeOf(0), _2: config }] },
    }),
    create(OpenMiningRound, { ...round, round: { number: '-1' } }),
    create(OpenMiningRound, { ...round, amuletPrice: decimal('0') }),
    create(Amulet, nothing),
    create(Amulet, early),
    create(Amulet, paying),
    create(LockedAmulet, { amulet: nothing, lock }),
  ]
  for (const command of commands) {
    expect(refusal(network.ledger.submit({ actAs: [dso] }, command))).toBe(
      `TEMPLATE_PRECONDITION_VIOLATED: The precondition of ${command.template} does not hold`,
    )
  }
})

test('payments without amount, interval or duration are asked for by nobody', () => {
  const network = renewing()
  const { argument } = network.ledger.only(SubscriptionPayment)
  const { payData, subscriptionData, subscription, reference, thisPaymentDueAt, ...money } = argument
  const none = { microseconds: '0' }
  for (const wrong of [
    { ...payData, paymentAmount: { ...payData.paymentAmount, amount: decimal('0') } },
    { ...payData, paymentInterval: none },
    { ...payData, paymentDuration: none },
  ]) {
    for (const command of [
      create(SubscriptionRequest, { subscriptionData, payData: wrong }),
      create(SubscriptionInitialPayment, { subscriptionData, payData: wrong, reference, ...money }),
      create(SubscriptionPayment, { ...argument, payData: wrong }),
      create(SubscriptionIdleState, {
        subscription,
        subscriptionData,
        payData: wrong,
        nextPaymentDueAt: thisPaymentDueAt,
        reference,
      }),
    ]) {
      expect(refusal(network.ledger.submit({ actAs: [alice, dso] }, command))).toMatch(
        /^TEMPLATE_PRECONDITION_VIOLATED: /,
      )
    }
  }
})

test('what defects of the interpreter itself throw is no refusal', () => {
  const context = {
    now: 0,
    seed: '',
    firstNode: 0,
    contract: () => {
      throw new TypeError('a defect')
    },
  }
  const network = new Network()
  const disclosed = network.reference.map(({ contractId, createdEventBlob }) => ({
    contractId,
    createdEventBlob,
  }))
  const submission = {
    commandId: '',
    userId: '',
    workflowId: '',
    actAs: [alice],
    readAs: [],
    commands: [create(AnsEntryContext, {} as never)],
    disclosed,
  }
  expect(() => interpret(submission, context, new Map())).toThrow('a defect')
})
