import type { ContractId } from '../../value.ts'
import { require } from '../refused.ts'
import { type ContractOf, consuming, type Scope } from '../template.ts'
import { later, microsOf, type Time, timeOf } from '../time.ts'
import { party, record, type ValueOf } from '../type.ts'
import { LockedAmulet_OwnerExpireLockV2, LockedAmulet_UnlockV2 } from './amulet.ts'
import { requireMatchingContract } from './groups.ts'
import { readRound, summaryOf } from './round.ts'
import { Subscription } from './subscription.ts'
import { appTransferContext } from './subscription-data.ts'
import { SubscriptionIdleState, SubscriptionPayment } from './subscription-idle-state.ts'
import { unlockAndTransfer } from './subscription-money.ts'

type Paid = ContractOf<ValueOf<typeof SubscriptionPayment.argument>>

/** The next due date counts from the last one, so that it never drifts. */
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
    const amulet = unlockAndTransfer(scope, subscriptionData, transferContext, targetAmount, lockedAmulet)
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

function backToIdle(scope: Scope, { argument }: Paid, nextPaymentDueAt: Time): ContractId {
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
