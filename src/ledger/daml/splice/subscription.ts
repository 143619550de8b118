import type { Party } from '../../value.ts'
import { isPositive } from '../decimal.ts'
import { paymentsPackage } from '../packages.ts'
import { consuming, defineTemplate } from '../template.ts'
import { isLongerThanNothing } from '../time.ts'
import {
  contractId,
  decimalType,
  enumeration,
  list,
  optional,
  party,
  record,
  relTime,
  text,
  unit,
  type ValueOf,
} from '../type.ts'
import { transferContext, transferInput } from './transfer.ts'

export const subscriptionData = record({
  sender: party,
  receiver: party,
  provider: party,
  dso: party,
  description: text,
})
export type SubscriptionData = ValueOf<typeof subscriptionData>

export const payData = record({
  paymentAmount: record({ amount: decimalType, unit: enumeration('USDUnit', 'AmuletUnit', 'ExtUnit') }),
  paymentInterval: relTime,
  paymentDuration: relTime,
})
export type PayData = ValueOf<typeof payData>

export const appTransferContext = record({
  amuletRules: contractId,
  openMiningRound: contractId,
  featuredAppRight: optional(contractId),
})
export type AppTransferContext = ValueOf<typeof appTransferContext>

const paymentTransferContext = record({ amuletRules: contractId, context: transferContext })

export const payment = record({
  inputs: list(transferInput),
  context: paymentTransferContext,
  walletProvider: party,
})
export type Payment = ValueOf<typeof payment>

export function subscriptionSignatories({
  subscriptionData: { sender, receiver, provider },
}: {
  readonly subscriptionData: SubscriptionData
}): readonly Party[] {
  return [sender, receiver, provider]
}

export function isPayDataValid({ payData }: { readonly payData: PayData }): boolean {
  return (
    isPositive(payData.paymentAmount.amount) &&
    isLongerThanNothing(payData.paymentInterval) &&
    isLongerThanNothing(payData.paymentDuration)
  )
}

export const subscriptionIndexes = { sender: ['subscriptionData', 'sender'] }

const argument = record({ subscriptionData, reference: contractId })
const indexed = { ...subscriptionIndexes, reference: ['reference'] }

/**
 * A subscription, from its first collected payment to its end. Its state is a
 * `SubscriptionIdleState` or a `SubscriptionPayment`; these contracts replace each other.
 */
export const Subscription = defineTemplate('Splice.Wallet.Subscriptions:Subscription', {
  package: paymentsPackage,
  argument,
  signatories: subscriptionSignatories,
  indexed,
})

/** The proof that a subscription, or a request for one, has ended. */
export const TerminatedSubscription = defineTemplate('Splice.Wallet.Subscriptions:TerminatedSubscription', {
  package: paymentsPackage,
  argument,
  signatories: subscriptionSignatories,
  indexed,
})

export const Subscription_Archive = consuming(Subscription, 'Subscription_Archive', {
  argument: unit,
  controllers: ({ signatories }) => signatories,
  run: (scope, { argument }) => ({ terminatedSubscription: scope.create(TerminatedSubscription, argument) }),
})
