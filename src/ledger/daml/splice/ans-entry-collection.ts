import { nonconsuming } from '../template.ts'
import { contractId, record } from '../type.ts'
import { AnsEntryContext } from './ans-entry-context.ts'
import {
  AnsRules_CollectEntryRenewalPayment,
  AnsRules_CollectInitialEntryPayment,
  AnsRules_RejectEntryInitialPayment,
} from './ans-rules.ts'
import { appTransferContext } from './subscription-data.ts'

// The choices of an entry's context that lend the user's authority to the DSO, for the rules' own.

export const AnsEntryContext_CollectInitialEntryPayment = nonconsuming(
  AnsEntryContext,
  'AnsEntryContext_CollectInitialEntryPayment',
  {
    argument: record({
      paymentCid: contractId,
      transferContext: appTransferContext,
      ansRulesCid: contractId,
    }),
    controllers: ({ argument: { dso } }) => [dso],
    run: (scope, { contractId, argument: { user } }, { paymentCid, transferContext, ansRulesCid }) =>
      scope.exercise(AnsRules_CollectInitialEntryPayment, ansRulesCid, {
        user,
        entryContext: contractId,
        paymentCid,
        transferContext,
      }),
  },
)

export const AnsEntryContext_CollectEntryRenewalPayment = nonconsuming(
  AnsEntryContext,
  'AnsEntryContext_CollectEntryRenewalPayment',
  {
    argument: record({
      paymentCid: contractId,
      entryCid: contractId,
      transferContext: appTransferContext,
      ansRulesCid: contractId,
    }),
    controllers: ({ argument: { dso } }) => [dso],
    run: (
      scope,
      { contractId, argument: { user } },
      { paymentCid, entryCid, transferContext, ansRulesCid },
    ) =>
      scope.exercise(AnsRules_CollectEntryRenewalPayment, ansRulesCid, {
        user,
        entryContext: contractId,
        paymentCid,
        entryCid,
        transferContext,
      }),
  },
)

export const AnsEntryContext_RejectEntryInitialPayment = nonconsuming(
  AnsEntryContext,
  'AnsEntryContext_RejectEntryInitialPayment',
  {
    argument: record({
      paymentCid: contractId,
      transferContext: appTransferContext,
      ansRulesCid: contractId,
    }),
    controllers: ({ argument: { dso } }) => [dso],
    run: (scope, _context, { paymentCid, transferContext, ansRulesCid }) =>
      scope.exercise(AnsRules_RejectEntryInitialPayment, ansRulesCid, { paymentCid, transferContext }),
  },
)
