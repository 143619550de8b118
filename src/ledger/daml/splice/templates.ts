import { templatesOf } from '../template.ts'
import { Amulet, LockedAmulet, LockedAmulet_OwnerExpireLockV2, LockedAmulet_UnlockV2 } from './amulet.ts'
import {
  AmuletRules,
  AmuletRules_DevNet_Tap,
  AmuletRules_Mint,
  AmuletRules_Transfer,
} from './amulet-rules.ts'
import {
  AnsEntry,
  AnsEntry_Expire,
  AnsEntry_Renew,
  AnsEntryContext,
  AnsEntryContext_CollectEntryRenewalPayment,
  AnsEntryContext_CollectInitialEntryPayment,
  AnsEntryContext_RejectEntryInitialPayment,
  AnsEntryContext_Terminate,
  AnsRules,
  AnsRules_CollectEntryRenewalPayment,
  AnsRules_CollectInitialEntryPayment,
  AnsRules_RejectEntryInitialPayment,
  AnsRules_RequestEntry,
} from './ans.ts'
import { OpenMiningRound, OpenMiningRound_Fetch } from './round.ts'
import { Subscription, Subscription_Archive, TerminatedSubscription } from './subscription.ts'
import {
  SubscriptionInitialPayment,
  SubscriptionInitialPayment_Collect,
  SubscriptionInitialPayment_Expire,
  SubscriptionInitialPayment_Reject,
} from './subscription-initial-payment.ts'
import {
  SubscriptionIdleState,
  SubscriptionIdleState_CancelSubscription,
  SubscriptionIdleState_ExpireSubscription,
  SubscriptionIdleState_MakePayment,
  SubscriptionPayment,
  SubscriptionPayment_Collect,
  SubscriptionPayment_Expire,
  SubscriptionPayment_Reject,
} from './subscription-renewal.ts'
import {
  SubscriptionRequest,
  SubscriptionRequest_AcceptAndMakePayment,
  SubscriptionRequest_Reject,
  SubscriptionRequest_Withdraw,
} from './subscription-request.ts'

export const templates = templatesOf([
  { template: OpenMiningRound, choices: [OpenMiningRound_Fetch] },
  { template: Amulet, choices: [] },
  { template: LockedAmulet, choices: [LockedAmulet_UnlockV2, LockedAmulet_OwnerExpireLockV2] },
  { template: AmuletRules, choices: [AmuletRules_DevNet_Tap, AmuletRules_Mint, AmuletRules_Transfer] },
  {
    template: SubscriptionRequest,
    choices: [
      SubscriptionRequest_AcceptAndMakePayment,
      SubscriptionRequest_Withdraw,
      SubscriptionRequest_Reject,
    ],
  },
  {
    template: SubscriptionInitialPayment,
    choices: [
      SubscriptionInitialPayment_Collect,
      SubscriptionInitialPayment_Reject,
      SubscriptionInitialPayment_Expire,
    ],
  },
  { template: Subscription, choices: [Subscription_Archive] },
  {
    template: SubscriptionIdleState,
    choices: [
      SubscriptionIdleState_MakePayment,
      SubscriptionIdleState_ExpireSubscription,
      SubscriptionIdleState_CancelSubscription,
    ],
  },
  {
    template: SubscriptionPayment,
    choices: [SubscriptionPayment_Collect, SubscriptionPayment_Reject, SubscriptionPayment_Expire],
  },
  { template: TerminatedSubscription, choices: [] },
  {
    template: AnsRules,
    choices: [
      AnsRules_RequestEntry,
      AnsRules_CollectInitialEntryPayment,
      AnsRules_CollectEntryRenewalPayment,
      AnsRules_RejectEntryInitialPayment,
    ],
  },
  {
    template: AnsEntryContext,
    choices: [
      AnsEntryContext_Terminate,
      AnsEntryContext_CollectInitialEntryPayment,
      AnsEntryContext_CollectEntryRenewalPayment,
      AnsEntryContext_RejectEntryInitialPayment,
    ],
  },
  { template: AnsEntry, choices: [AnsEntry_Expire, AnsEntry_Renew] },
])
