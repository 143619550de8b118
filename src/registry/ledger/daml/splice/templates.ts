import { foundingNameServicePackage, interfaces } from '../packages.ts'
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

/** A template or an interface in all versions of its package: `#package-name:Module.Path:Entity`. */
export type TypeName = string

const known = [...templates.values()]
const packages = [foundingNameServicePackage, ...[...known, ...interfaces].map((one) => one.package)]

export const packageIds: readonly string[] = [...new Set(packages.map(({ id }) => id))]
export const packageNames: ReadonlySet<string> = new Set(packages.map(({ name }) => name))
export const templateNames: ReadonlySet<TypeName> = new Set(known.map(nameOf))
export const interfaceNames: ReadonlySet<TypeName> = new Set(interfaces.map(nameOf))

function nameOf({ package: of, name }: (typeof known)[number] | (typeof interfaces)[number]): TypeName {
  return `#${of.name}:${name}`
}
