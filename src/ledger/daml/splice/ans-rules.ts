import type { ContractId, Party } from '../../value.ts'
import { isPositive } from '../decimal.ts'
import { foundingNameServicePackage } from '../packages.ts'
import { require } from '../refused.ts'
import { defineTemplate, nonconsuming, type Scope } from '../template.ts'
import { isLongerThanNothing, microsOf } from '../time.ts'
import { contractId, decimalType, party, record, relTime, text } from '../type.ts'
import { Amulet } from './amulet.ts'
import { AnsEntry, AnsEntry_Renew } from './ans-entry.ts'
import { AnsEntryContext } from './ans-entry-context.ts'
import { fetchOf } from './groups.ts'
import { Subscription } from './subscription.ts'
import { appTransferContext, type SubscriptionData } from './subscription-data.ts'
import { SubscriptionIdleState, SubscriptionPayment } from './subscription-idle-state.ts'
import {
  SubscriptionInitialPayment,
  SubscriptionInitialPayment_Collect,
  SubscriptionInitialPayment_Reject,
} from './subscription-initial-payment.ts'
import { SubscriptionPayment_Collect } from './subscription-payment.ts'
import { SubscriptionRequest } from './subscription-request.ts'

/** How names are asked for, paid and renewed. */
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
  ensure: ({ config: { renewalDuration, entryLifetime, entryFee } }) =>
    isLongerThanNothing(renewalDuration) && isLongerThanNothing(entryLifetime) && isPositive(entryFee),
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
    return { entryCid: scope.create(AnsEntryContext, context), requestCid }
  },
})

export const AnsRules_CollectInitialEntryPayment = nonconsuming(
  AnsRules,
  'AnsRules_CollectInitialEntryPayment',
  {
    argument: record({
      user: party,
      entryContext: contractId,
      paymentCid: contractId,
      transferContext: appTransferContext,
    }),
    controllers: ({ argument: { dso } }, { user }) => [dso, user],
    run(scope, { argument: { dso } }, { user, entryContext, paymentCid, transferContext }) {
      const payment = scope.fetch(SubscriptionInitialPayment, paymentCid).argument
      requirePayment(payment.subscriptionData, dso, user)
      const { name, url, description } = contextOf(scope, entryContext, dso, user, payment.reference)
      const collected = scope.exercise(SubscriptionInitialPayment_Collect, paymentCid, { transferContext })
      burn(scope, dso, collected.amulet)
      const subscriptionStateCid = collected.subscriptionState
      const { nextPaymentDueAt } = scope.fetch(SubscriptionIdleState, subscriptionStateCid).argument
      const entry = { user, dso, name, url, description, expiresAt: nextPaymentDueAt }
      return { entryCid: scope.create(AnsEntry, entry), subscriptionStateCid }
    },
  },
)

export const AnsRules_CollectEntryRenewalPayment = nonconsuming(
  AnsRules,
  'AnsRules_CollectEntryRenewalPayment',
  {
    argument: record({
      user: party,
      entryContext: contractId,
      paymentCid: contractId,
      entryCid: contractId,
      transferContext: appTransferContext,
    }),
    controllers: ({ argument: { dso } }, { user }) => [dso, user],
    run(scope, { argument: { dso } }, { user, entryContext, paymentCid, entryCid, transferContext }) {
      const payment = scope.fetch(SubscriptionPayment, paymentCid).argument
      requirePayment(payment.subscriptionData, dso, user)
      const { reference } = scope.fetch(Subscription, payment.subscription).argument
      const context = contextOf(scope, entryContext, dso, user, reference)
      const entry = scope.fetch(AnsEntry, entryCid).argument
      require('Current entry matches subscription context', (
        ['user', 'name', 'url', 'description'] as const
      ).every((member) => entry[member] === context[member]))
      const expiresAt = microsOf(entry.expiresAt)
      require('Subscription entry renewal times are in sync', microsOf(payment.thisPaymentDueAt) ===
        expiresAt)
      require('Current entry is not expired', scope.now < expiresAt)
      const collected = scope.exercise(SubscriptionPayment_Collect, paymentCid, { transferContext })
      burn(scope, dso, collected.amulet)
      const extension = payment.payData.paymentInterval
      const renewed = scope.exercise(AnsEntry_Renew, entryCid, { extension })
      return { entryCid: renewed.entryCid, subscriptionStateCid: collected.subscriptionState }
    },
  },
)

export const AnsRules_RejectEntryInitialPayment = nonconsuming(
  AnsRules,
  'AnsRules_RejectEntryInitialPayment',
  {
    argument: record({ paymentCid: contractId, transferContext: appTransferContext }),
    controllers: ({ argument: { dso } }) => [dso],
    run: (scope, _rules, { paymentCid, transferContext }) =>
      scope.exercise(SubscriptionInitialPayment_Reject, paymentCid, { transferContext }),
  },
)

function requirePayment({ provider, sender }: SubscriptionData, dso: Party, user: Party): void {
  require('matching DSO party', dso === provider)
  require('Sender matches', user === sender)
}

function contextOf(scope: Scope, contractId: ContractId, dso: Party, user: Party, reference: ContractId) {
  const context = scope.fetch(AnsEntryContext, contractId).argument
  require('matching DSO party', dso === context.dso)
  require('User matches', user === context.user)
  require('Subscription reference matches', reference === context.reference)
  return context
}

/** What the DSO receives ceases to be. */
function burn(scope: Scope, dso: Party, amulet: ContractId): void {
  fetchOf(scope, Amulet, amulet, { dso, owner: dso })
  scope.archive(Amulet, amulet)
}
