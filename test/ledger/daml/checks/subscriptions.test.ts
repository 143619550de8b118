import { expect, test } from 'vitest'
import { LockedAmulet } from '../../../../src/ledger/daml/splice/amulet.ts'
import { AnsEntryContext, AnsEntryContext_Terminate } from '../../../../src/ledger/daml/splice/ans.ts'
import {
  Subscription,
  Subscription_Archive,
  TerminatedSubscription,
} from '../../../../src/ledger/daml/splice/subscription.ts'
import {
  SubscriptionInitialPayment,
  SubscriptionInitialPayment_Expire,
} from '../../../../src/ledger/daml/splice/subscription-initial-payment.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_CancelSubscription,
  SubscriptionIdleState_ExpireSubscription,
  SubscriptionPayment,
  SubscriptionPayment_Collect,
  SubscriptionPayment_Expire,
  SubscriptionPayment_Reject,
} from '../../../../src/ledger/daml/splice/subscription-renewal.ts'
import {
  SubscriptionRequest,
  SubscriptionRequest_Withdraw,
} from '../../../../src/ledger/daml/splice/subscription-request.ts'
import { microsOf, timeOf } from '../../../../src/ledger/daml/time.ts'
import { create, exercise, tree } from '../memory-ledger.ts'
import { alice, bob, day, done, dso, minute, Network, refusal, unmet } from '../network.ts'
import { amounts, expiry, name, paid, renewing } from './stages.ts'

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

test('an initial payment that is not collected comes back when its lock expires', () => {
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
