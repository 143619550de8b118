import { foundingNameServicePackage, nameServicePackage } from '../packages.ts'
import { require } from '../refused.ts'
import { consuming, defineTemplate, nonconsuming } from '../template.ts'
import { later, microsOf, timeOf } from '../time.ts'
import { contractId, decimalType, party, record, relTime, text, time } from '../type.ts'
import { Amulet } from './amulet.ts'
import {
  appTransferContext,
  SubscriptionIdleState,
  SubscriptionInitialPayment_Collect,
  SubscriptionInitialPayment_Reject,
  SubscriptionPayment,
  SubscriptionPayment_Collect,
  SubscriptionRequest,
  TerminatedSubscription,
} from './subscriptions.ts'

/** A registered name and its owner. A renewal archives the contract and creates a new one. */
export const AnsEntry = defineTemplate('Splice.Ans:AnsEntry', {
  package: nameServicePackage,
  argument: record({ user: party, dso: party, name: text, url: text, description: text, expiresAt: time }),
  signatories: ({ user, dso }) => [user, dso],
  indexed: { name: ['name'], user: ['user'] },
  dueField: 'expiresAt',
})

export const AnsEntry_Expire = consuming(AnsEntry, 'AnsEntry_Expire', {
  argument: record({ actor: party }),
  controllers: (_, { actor }) => [actor],
  run(scope, { argument: { expiresAt } }) {
    require('Contract expired', microsOf(expiresAt) < scope.now)
    return {}
  },
})

export const AnsEntry_Renew = consuming(AnsEntry, 'AnsEntry_Renew', {
  argument: record({ extension: relTime }),
  controllers: ({ argument: { user, dso } }) => [user, dso],
  run(scope, { argument }, { extension }) {
    const expiresAt = timeOf(later(microsOf(argument.expiresAt), extension))
    return { entryCid: scope.create(AnsEntry, { ...argument, expiresAt }) }
  },
})

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
  run(scope, _context, { terminatedSubscriptionCid }) {
    scope.archive(TerminatedSubscription, terminatedSubscriptionCid)
    return {}
  },
})

export const AnsRules = defineTemplate('Splice.Ans:AnsRules', {
  package: foundingNameServicePackage,
  argument: record({
    dso: party,
    config: record({
      renewalDuration: relTime,
      entryLifetime: relTime,
      entryFee: decimalType,
      descriptionPrefix: text,
    }),
  }),
  signatories: ({ dso }) => [dso],
})

export const AnsRules_RequestEntry = nonconsuming(AnsRules, 'AnsRules_RequestEntry', {
  argument: record({ name: text, url: text, description: text, user: party }),
  controllers: (_, { user }) => [user],
  run(scope, { argument: { dso, config } }, { name, url, description, user }) {
    const requestCid = scope.create(SubscriptionRequest, {
      subscriptionData: {
        sender: user,
        receiver: dso,
        provider: dso,
        dso,
        description: `${config.descriptionPrefix}${JSON.stringify(name)}`,
      },
      payData: {
        paymentAmount: { amount: config.entryFee, unit: 'USDUnit' },
        paymentInterval: config.entryLifetime,
        paymentDuration: config.renewalDuration,
      },
    })
    const context = { dso, user, name, url, description, reference: requestCid }
    // The name is Splice's, though the id is that of a context. Other choices return that of an entry.
    return { entryCid: scope.create(AnsEntryContext, context), requestCid }
  },
})

const collection = { paymentCid: contractId, transferContext: appTransferContext }
const renewal = { paymentCid: contractId, entryCid: contractId, transferContext: appTransferContext }

const AnsRules_CollectInitialEntryPayment = nonconsuming(AnsRules, 'AnsRules_CollectInitialEntryPayment', {
  argument: record({ user: party, entryContext: contractId, ...collection }),
  controllers: ({ argument: { dso } }, { user }) => [dso, user],
  run(scope, { argument: { dso } }, { user, entryContext, paymentCid, transferContext }) {
    const { name, url, description } = scope.fetch(AnsEntryContext, entryContext).argument
    const collected = scope.exercise(SubscriptionInitialPayment_Collect, paymentCid, { transferContext })
    scope.archive(Amulet, collected.amulet)
    const subscriptionStateCid = collected.subscriptionState
    const { nextPaymentDueAt } = scope.fetch(SubscriptionIdleState, subscriptionStateCid).argument
    const entry = { user, dso, name, url, description, expiresAt: nextPaymentDueAt }
    return { entryCid: scope.create(AnsEntry, entry), subscriptionStateCid }
  },
})

const AnsRules_CollectEntryRenewalPayment = nonconsuming(AnsRules, 'AnsRules_CollectEntryRenewalPayment', {
  argument: record({ user: party, entryContext: contractId, ...renewal }),
  controllers: ({ argument: { dso } }, { user }) => [dso, user],
  run(scope, _rules, { paymentCid, entryCid, transferContext }) {
    const { thisPaymentDueAt, payData } = scope.fetch(SubscriptionPayment, paymentCid).argument
    const expiresAt = microsOf(scope.fetch(AnsEntry, entryCid).argument.expiresAt)
    const isInSync = microsOf(thisPaymentDueAt) === expiresAt
    require('Subscription entry renewal times are in sync', isInSync)
    require('Current entry is not expired', scope.now < expiresAt)
    const collected = scope.exercise(SubscriptionPayment_Collect, paymentCid, { transferContext })
    scope.archive(Amulet, collected.amulet)
    const renewed = scope.exercise(AnsEntry_Renew, entryCid, { extension: payData.paymentInterval })
    return { entryCid: renewed.entryCid, subscriptionStateCid: collected.subscriptionState }
  },
})

const AnsRules_RejectEntryInitialPayment = nonconsuming(AnsRules, 'AnsRules_RejectEntryInitialPayment', {
  argument: record(collection),
  controllers: ({ argument: { dso } }) => [dso],
  run: (scope, _rules, { paymentCid, transferContext }) =>
    scope.exercise(SubscriptionInitialPayment_Reject, paymentCid, { transferContext }),
})

// The DSO (the party of all super validators) needs the user's authority to collect a payment. The
// bodies of the following choices have that authority, because the user is a signatory of the
// `AnsEntryContext`. The DSO therefore exercises the choices of `AnsRules` through these choices.

export const AnsEntryContext_CollectInitialEntryPayment = nonconsuming(
  AnsEntryContext,
  'AnsEntryContext_CollectInitialEntryPayment',
  {
    argument: record({ ...collection, ansRulesCid: contractId }),
    controllers: ({ argument: { dso } }) => [dso],
    run: (scope, { contractId: entryContext, argument: { user } }, { ansRulesCid, ...given }) =>
      scope.exercise(AnsRules_CollectInitialEntryPayment, ansRulesCid, { user, entryContext, ...given }),
  },
)

export const AnsEntryContext_CollectEntryRenewalPayment = nonconsuming(
  AnsEntryContext,
  'AnsEntryContext_CollectEntryRenewalPayment',
  {
    argument: record({ ...renewal, ansRulesCid: contractId }),
    controllers: ({ argument: { dso } }) => [dso],
    run: (scope, { contractId: entryContext, argument: { user } }, { ansRulesCid, ...given }) =>
      scope.exercise(AnsRules_CollectEntryRenewalPayment, ansRulesCid, { user, entryContext, ...given }),
  },
)

export const AnsEntryContext_RejectEntryInitialPayment = nonconsuming(
  AnsEntryContext,
  'AnsEntryContext_RejectEntryInitialPayment',
  {
    argument: record({ ...collection, ansRulesCid: contractId }),
    controllers: ({ argument: { dso } }) => [dso],
    run: (scope, _context, { ansRulesCid, ...given }) =>
      scope.exercise(AnsRules_RejectEntryInitialPayment, ansRulesCid, given),
  },
)
