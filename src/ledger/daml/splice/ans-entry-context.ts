import { nameServicePackage } from '../packages.ts'
import { require } from '../refused.ts'
import { consuming, defineTemplate } from '../template.ts'
import { contractId, party, record, text } from '../type.ts'
import { TerminatedSubscription } from './subscription.ts'

/** What was asked for in a subscription request; it lives as long as what follows from the request. */
export const AnsEntryContext = defineTemplate('Splice.Ans:AnsEntryContext', {
  package: nameServicePackage,
  argument: record({
    dso: party,
    user: party,
    name: text,
    url: text,
    description: text,
    reference: contractId,
  }),
  signatories: ({ dso, user }) => [dso, user],
  indexed: { name: ['name'], user: ['user'], reference: ['reference'] },
})

export const AnsEntryContext_Terminate = consuming(AnsEntryContext, 'AnsEntryContext_Terminate', {
  argument: record({ actor: party, terminatedSubscriptionCid: contractId }),
  controllers: (_, { actor }) => [actor],
  run(scope, { signatories, argument: { reference } }, { actor, terminatedSubscriptionCid }) {
    require('Actor is signatory', signatories.includes(actor))
    const terminated = scope.fetch(TerminatedSubscription, terminatedSubscriptionCid)
    scope.archive(TerminatedSubscription, terminatedSubscriptionCid)
    require('Reference matches', terminated.argument.reference === reference)
    return {}
  },
})
