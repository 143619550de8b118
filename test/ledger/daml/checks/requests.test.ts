import { expect, test } from 'vitest'
import { decimal } from '../../../../src/ledger/daml/decimal.ts'
import { LockedAmulet } from '../../../../src/ledger/daml/splice/amulet.ts'
import { AmuletRules } from '../../../../src/ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../../../../src/ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../../../../src/ledger/daml/splice/round.ts'
import { SubscriptionInitialPayment } from '../../../../src/ledger/daml/splice/subscription-initial-payment.ts'
import {
  SubscriptionRequest,
  SubscriptionRequest_AcceptAndMakePayment,
  SubscriptionRequest_Reject,
  SubscriptionRequest_Withdraw,
} from '../../../../src/ledger/daml/splice/subscription-request.ts'
import { create, exercise, tree } from '../memory-ledger.ts'
import { alice, bob, day, done, dso, Network, refusal } from '../network.ts'
import { amounts, name } from './stages.ts'

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

test('no user can pay with the coin of another, even if it is disclosed', () => {
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
