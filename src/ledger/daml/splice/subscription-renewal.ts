import type { ContractId } from '../../value.ts'
import { paymentsPackage } from '../packages.ts'
import { require } from '../refused.ts'
import { type ChoiceActions, type ContractOf, consuming, defineTemplate } from '../template.ts'
import { later, microsOf, type Time, timeOf } from '../time.ts'
import { contractId, decimalType, party, record, time, unit, type ValueOf } from '../type.ts'
import { LockedAmulet_OwnerExpireLockV2, LockedAmulet_UnlockV2 } from './amulet.ts'
import { requireMatchingContract } from './groups.ts'
import { readRound, round, summaryOf } from './round.ts'
import {
  appTransferContext,
  isPayDataValid,
  payData,
  payment,
  Subscription,
  Subscription_Archive,
  subscriptionData,
  subscriptionIndexes,
  subscriptionSignatories,
} from './subscription.ts'
import { lockAndMakeChange, unlockAndTransfer } from './subscription-money.ts'

const indexed = { ...subscriptionIndexes, reference: ['reference'], subscription: ['subscription'] }

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
  dueField: 'nextPaymentDueAt',
})

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

/**
 * As in Splice, a payment after the due date is permitted too, because a provider may grant extra
 * time.
 */
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

type Paid = ContractOf<ValueOf<typeof SubscriptionPayment.argument>>

/**
 * The next due date is computed from `thisPaymentDueAt`, not from the time of the payment, so due
 * dates never drift.
 */
export const SubscriptionPayment_Collect = consuming(SubscriptionPayment, 'SubscriptionPayment_Collect', {
  argument: record({ transferContext: appTransferContext }),
  controllers: ({ signatories }) => signatories,
  run(scope, contract, { transferContext }) {
    const { subscriptionData, payData, thisPaymentDueAt, targetAmount, lockedAmulet, round } =
      contract.argument
    const { dso, provider } = subscriptionData
    const open = readRound(scope, dso, transferContext.openMiningRound, provider)
    require(`Round at subscription payment ${round.number} matches round at collection ${open.round.number}`, round.number ===
      open.round.number)
    const nextPaymentDueAt = timeOf(later(microsOf(thisPaymentDueAt), payData.paymentInterval))
    const subscriptionState = backToIdle(scope, contract, nextPaymentDueAt)
    const amulet = unlockAndTransfer(scope, subscriptionData, transferContext, {
      targetAmount,
      lockedAmulet,
    })
    return { subscriptionState, amulet }
  },
})

export const SubscriptionPayment_Reject = consuming(SubscriptionPayment, 'SubscriptionPayment_Reject', {
  argument: record({ transferContext: appTransferContext }),
  controllers: ({ argument: { subscriptionData } }) => [subscriptionData.receiver],
  run(scope, contract, { transferContext }) {
    const { subscriptionData, lockedAmulet, thisPaymentDueAt } = contract.argument
    const { dso, sender } = subscriptionData
    const subscriptionState = backToIdle(scope, contract, thisPaymentDueAt)
    const { amuletCid } = scope.exercise(LockedAmulet_UnlockV2, lockedAmulet, {})
    const open = readRound(scope, dso, transferContext.openMiningRound, sender)
    return { subscriptionState, amuletSum: summaryOf(amuletCid, open) }
  },
})

export const SubscriptionPayment_Expire = consuming(SubscriptionPayment, 'SubscriptionPayment_Expire', {
  argument: record({ actor: party, transferContext: appTransferContext }),
  controllers: (_, { actor }) => [actor],
  run(scope, contract, { actor, transferContext }) {
    const { subscriptionData, lockedAmulet, thisPaymentDueAt } = contract.argument
    const { dso, sender } = subscriptionData
    require(`Actor '${actor}' is a signatory`, contract.signatories.includes(actor))
    const subscriptionState = backToIdle(scope, contract, thisPaymentDueAt)
    const { amuletCid } = scope.exercise(LockedAmulet_OwnerExpireLockV2, lockedAmulet, {})
    const open = readRound(scope, dso, transferContext.openMiningRound, sender)
    return { subscriptionState, amuletSum: summaryOf(amuletCid, open) }
  },
})

function backToIdle(scope: ChoiceActions, { argument }: Paid, nextPaymentDueAt: Time): ContractId {
  const { subscription, subscriptionData, payData, reference } = argument
  requireMatchingContract(scope, Subscription, subscription, { subscriptionData, reference })
  return scope.create(SubscriptionIdleState, {
    subscription,
    subscriptionData,
    payData,
    nextPaymentDueAt,
    reference,
  })
}
