import { paymentsPackage } from '../packages.ts'
import { consuming, defineTemplate } from '../template.ts'
import { contractId, record, unit } from '../type.ts'
import { subscriptionData, subscriptionIndexes, subscriptionSignatories } from './subscription-data.ts'

const argument = record({ subscriptionData, reference: contractId })
const indexed = { ...subscriptionIndexes, reference: ['reference'] }

/** What stands for a subscription while its states come and go. */
export const Subscription = defineTemplate('Splice.Wallet.Subscriptions:Subscription', {
  package: paymentsPackage,
  argument,
  signatories: subscriptionSignatories,
  indexed,
})

/** A subscription, or a request for one, that has ended; whoever keeps something with it ends that with this. */
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
