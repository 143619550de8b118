import type { Template } from '../template.ts'
import { Amulet, LockedAmulet } from './amulet.ts'
import { AmuletRules } from './amulet-rules.ts'
import { AnsEntry, AnsEntryContext, AnsRules } from './ans.ts'
import { OpenMiningRound } from './round.ts'
import {
  Subscription,
  SubscriptionIdleState,
  SubscriptionInitialPayment,
  SubscriptionPayment,
  SubscriptionRequest,
  TerminatedSubscription,
} from './subscriptions.ts'

const all: readonly Template[] = [
  OpenMiningRound,
  Amulet,
  LockedAmulet,
  AmuletRules,
  SubscriptionRequest,
  SubscriptionInitialPayment,
  Subscription,
  SubscriptionIdleState,
  SubscriptionPayment,
  TerminatedSubscription,
  AnsRules,
  AnsEntryContext,
  AnsEntry,
]

/** The templates by their names (`Module.Path:Entity`). */
export const templates: ReadonlyMap<string, Template> = new Map(
  all.map((template) => [template.name, template]),
)
