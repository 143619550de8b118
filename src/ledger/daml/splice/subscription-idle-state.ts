import { paymentsPackage } from '../packages.ts'
import { require } from '../refused.ts'
import { consuming, defineTemplate } from '../template.ts'
import { later, microsOf } from '../time.ts'
import { contractId, decimalType, party, record, time, unit } from '../type.ts'
import { requireMatchingContract } from './groups.ts'
import { round } from './round.ts'
import { Subscription, Subscription_Archive } from './subscription.ts'
import {
  isPayDataValid,
  payData,
  payment,
  subscriptionData,
  subscriptionIndexes,
  subscriptionSignatories,
} from './subscription-data.ts'
import { lockAndMakeChange } from './subscription-money.ts'

const indexed = { ...subscriptionIndexes, reference: ['reference'], subscription: ['subscription'] }

/** A subscription that waits for its next payment. */
export const SubscriptionIdleState = defineTemplate('Splice.Wallet.Subscriptions:SubscriptionIdleState', {
  package: paymentsPackage,
  argument: record({
    subscription: contractId,
    subscriptionData,
    payData,
    nextPaymentDueAt: time,
    reference: contractId,
  }),
  signatories: subscriptionSignatories,
  ensure: isPayDataValid,
  indexed,
  due: 'nextPaymentDueAt',
})

/** A payment of a running subscription, locked. */
export const SubscriptionPayment = defineTemplate('Splice.Wallet.Subscriptions:SubscriptionPayment', {
  package: paymentsPackage,
  argument: record({
    subscription: contractId,
    subscriptionData,
    payData,
    thisPaymentDueAt: time,
    targetAmount: decimalType,
    lockedAmulet: contractId,
    round,
    reference: contractId,
  }),
  signatories: subscriptionSignatories,
  ensure: isPayDataValid,
  indexed,
})

/** To be late is no obstacle: whoever provides may leave time for it. */
export const SubscriptionIdleState_MakePayment = consuming(
  SubscriptionIdleState,
  'SubscriptionIdleState_MakePayment',
  {
    argument: payment,
    controllers: ({ argument: { subscriptionData } }, { walletProvider }) => [
      subscriptionData.sender,
      walletProvider,
    ],
    run(scope, { argument }, payment) {
      const { subscription, subscriptionData, payData, nextPaymentDueAt, reference } = argument
      requireMatchingContract(scope, Subscription, subscription, { subscriptionData, reference })
      require('The next due date is close enough to make the next payment.', later(
        scope.now,
        payData.paymentDuration,
      ) >= microsOf(nextPaymentDueAt))
      const { senderChange, targetAmount, lockedAmulet, round } = lockAndMakeChange(
        scope,
        subscriptionData,
        payData,
        payment,
      )
      const subscriptionPayment = scope.create(SubscriptionPayment, {
        subscription,
        subscriptionData,
        payData,
        thisPaymentDueAt: nextPaymentDueAt,
        targetAmount,
        lockedAmulet,
        round,
        reference,
      })
      return { subscriptionPayment, senderChange }
    },
  },
)

export const SubscriptionIdleState_ExpireSubscription = consuming(
  SubscriptionIdleState,
  'SubscriptionIdleState_ExpireSubscription',
  {
    argument: record({ actor: party }),
    controllers: (_, { actor }) => [actor],
    run(scope, { signatories, argument }, { actor }) {
      const { subscription, subscriptionData, nextPaymentDueAt, reference } = argument
      require(`Actor '${actor}' is a signatory`, signatories.includes(actor))
      requireMatchingContract(scope, Subscription, subscription, { subscriptionData, reference })
      require('Last subscription payment was missed', microsOf(nextPaymentDueAt) < scope.now)
      return scope.exercise(Subscription_Archive, subscription, {})
    },
  },
)

export const SubscriptionIdleState_CancelSubscription = consuming(
  SubscriptionIdleState,
  'SubscriptionIdleState_CancelSubscription',
  {
    argument: unit,
    controllers: ({ argument: { subscriptionData } }) => [subscriptionData.sender],
    run(scope, { argument: { subscription, subscriptionData, reference } }) {
      requireMatchingContract(scope, Subscription, subscription, { subscriptionData, reference })
      return scope.exercise(Subscription_Archive, subscription, {})
    },
  },
)
