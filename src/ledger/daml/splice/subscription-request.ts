import { paymentsPackage } from '../packages.ts'
import { type ChoiceActions, type ContractOf, consuming, defineTemplate } from '../template.ts'
import { record, unit, type ValueOf } from '../type.ts'
import {
  isPayDataValid,
  payData,
  payment,
  subscriptionData,
  subscriptionIndexes,
  subscriptionSignatories,
  TerminatedSubscription,
} from './subscription.ts'
import { SubscriptionInitialPayment } from './subscription-initial-payment.ts'
import { lockAndMakeChange } from './subscription-money.ts'

const argument = record({ subscriptionData, payData })
type SubscriptionRequestArgument = ValueOf<typeof argument>

/**
 * Later contracts of the subscription have the contract id of this request as their `reference`.
 */
export const SubscriptionRequest = defineTemplate('Splice.Wallet.Subscriptions:SubscriptionRequest', {
  package: paymentsPackage,
  argument,
  signatories: subscriptionSignatories,
  ensure: isPayDataValid,
  indexed: subscriptionIndexes,
})

export const SubscriptionRequest_AcceptAndMakePayment = consuming(
  SubscriptionRequest,
  'SubscriptionRequest_AcceptAndMakePayment',
  {
    argument: payment,
    controllers: ({ argument: { subscriptionData } }, { walletProvider }) => [
      subscriptionData.sender,
      walletProvider,
    ],
    run(scope, { contractId, argument: { subscriptionData, payData } }, payment) {
      const { senderChange, targetAmount, lockedAmulet, round } = lockAndMakeChange(
        scope,
        subscriptionData,
        payData,
        payment,
      )
      const subscriptionPayment = scope.create(SubscriptionInitialPayment, {
        subscriptionData,
        payData,
        targetAmount,
        lockedAmulet,
        round,
        reference: contractId,
      })
      return { subscriptionPayment, senderChange }
    },
  },
)

export const SubscriptionRequest_Withdraw = consuming(SubscriptionRequest, 'SubscriptionRequest_Withdraw', {
  argument: unit,
  controllers: ({ argument: { subscriptionData } }) => [subscriptionData.receiver],
  run: terminate,
})

export const SubscriptionRequest_Reject = consuming(SubscriptionRequest, 'SubscriptionRequest_Reject', {
  argument: unit,
  controllers: ({ argument: { subscriptionData } }) => [subscriptionData.sender],
  run: terminate,
})

function terminate(scope: ChoiceActions, { contractId, argument }: ContractOf<SubscriptionRequestArgument>) {
  const { subscriptionData } = argument
  return {
    terminatedSubscription: scope.create(TerminatedSubscription, { subscriptionData, reference: contractId }),
  }
}
