import { paymentsPackage } from '../packages.ts'
import { require } from '../refused.ts'
import { consuming, defineTemplate } from '../template.ts'
import { later, timeOf } from '../time.ts'
import { contractId, decimalType, party, record } from '../type.ts'
import { LockedAmulet_OwnerExpireLockV2, LockedAmulet_UnlockV2 } from './amulet.ts'
import { readRound, round, summaryOf } from './round.ts'
import {
  appTransferContext,
  isPayDataValid,
  payData,
  Subscription,
  subscriptionData,
  subscriptionIndexes,
  subscriptionSignatories,
  TerminatedSubscription,
} from './subscription.ts'
import { unlockAndTransfer } from './subscription-money.ts'
import { SubscriptionIdleState } from './subscription-renewal.ts'

/**
 * The first payment of a subscription. Its coin stays locked until the payment is collected,
 * rejected or expired.
 */
export const SubscriptionInitialPayment = defineTemplate(
  'Splice.Wallet.Subscriptions:SubscriptionInitialPayment',
  {
    package: paymentsPackage,
    argument: record({
      subscriptionData,
      payData,
      targetAmount: decimalType,
      lockedAmulet: contractId,
      round,
      reference: contractId,
    }),
    signatories: subscriptionSignatories,
    ensure: isPayDataValid,
    indexed: { ...subscriptionIndexes, reference: ['reference'] },
  },
)

export const SubscriptionInitialPayment_Collect = consuming(
  SubscriptionInitialPayment,
  'SubscriptionInitialPayment_Collect',
  {
    argument: record({ transferContext: appTransferContext }),
    controllers: ({ signatories }) => signatories,
    run(scope, { argument }, { transferContext }) {
      const { subscriptionData, payData, targetAmount, lockedAmulet, round, reference } = argument
      const { dso, provider } = subscriptionData
      const open = readRound(scope, dso, transferContext.openMiningRound, provider)
      require(`Round at subscription request ${round.number} matches round at collection ${open.round.number}`, round.number ===
        open.round.number)
      const subscription = scope.create(Subscription, { subscriptionData, reference })
      const subscriptionState = scope.create(SubscriptionIdleState, {
        subscription,
        subscriptionData,
        payData,
        nextPaymentDueAt: timeOf(later(scope.now, payData.paymentInterval)),
        reference,
      })
      const amulet = unlockAndTransfer(scope, subscriptionData, transferContext, {
        targetAmount,
        lockedAmulet,
      })
      return { subscription, subscriptionState, amulet }
    },
  },
)

export const SubscriptionInitialPayment_Reject = consuming(
  SubscriptionInitialPayment,
  'SubscriptionInitialPayment_Reject',
  {
    argument: record({ transferContext: appTransferContext }),
    controllers: ({ argument: { subscriptionData } }) => [subscriptionData.receiver],
    run(scope, { argument: { subscriptionData, lockedAmulet, reference } }, { transferContext }) {
      const { dso, sender } = subscriptionData
      scope.create(TerminatedSubscription, { subscriptionData, reference })
      const { amuletCid } = scope.exercise(LockedAmulet_UnlockV2, lockedAmulet, {})
      return {
        amuletSum: summaryOf(amuletCid, readRound(scope, dso, transferContext.openMiningRound, sender)),
      }
    },
  },
)

export const SubscriptionInitialPayment_Expire = consuming(
  SubscriptionInitialPayment,
  'SubscriptionInitialPayment_Expire',
  {
    argument: record({ actor: party, transferContext: appTransferContext }),
    controllers: (_, { actor }) => [actor],
    run(scope, { signatories, argument }, { actor, transferContext }) {
      const { subscriptionData, lockedAmulet, reference } = argument
      const { dso, sender } = subscriptionData
      require(`Actor '${actor}' is a signatory`, signatories.includes(actor))
      scope.create(TerminatedSubscription, { subscriptionData, reference })
      const { amuletCid } = scope.exercise(LockedAmulet_OwnerExpireLockV2, lockedAmulet, {})
      return {
        amuletSum: summaryOf(amuletCid, readRound(scope, dso, transferContext.openMiningRound, sender)),
      }
    },
  },
)
