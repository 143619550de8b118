import type { Json } from './json.ts'

/** The conversion of a template's contracts to the view of an interface. */
export interface View {
  /** The id of the template's package. */
  readonly packageId: string
  view(argument: Json): Json
}

export interface KnownInterface {
  /** The id of the interface: `<package id>:Module:Entity`. */
  readonly interfaceId: string
  /** The views by template: `package-name:Module:Entity`. */
  readonly views: ReadonlyMap<string, View>
}

/** The packages of a participant. Their types are named `package-name:Module:Entity`. */
export interface FakeCatalog {
  /** The names of the packages, by package id. */
  readonly packages: ReadonlyMap<string, string>
  readonly templates: ReadonlySet<string>
  readonly interfaces: ReadonlyMap<string, KnownInterface>
}

export const names = { id: 'a'.repeat(64), name: 'splice-amulet-name-service' }
const payments = { id: 'b'.repeat(64), name: 'splice-wallet-payments' }
const coins = { id: 'c'.repeat(64), name: 'splice-amulet' }
const holdings = { id: 'd'.repeat(64), name: 'splice-api-token-holding-v1' }

/** The package of each module, for packages of the Canton Network. */
const modules: Readonly<Record<string, { readonly id: string; readonly name: string }>> = {
  'Splice.Ans': names,
  'Splice.Wallet.Subscriptions': payments,
  'Splice.Amulet': coins,
}

export function packageOf(template: string): { readonly id: string; readonly name: string } {
  const [module = ''] = template.split(':')
  return modules[module] ?? { id: 'f'.repeat(64), name: 'other' }
}

const templates = [
  'Splice.Ans:AnsRules',
  'Splice.Ans:AnsEntry',
  'Splice.Ans:AnsEntryContext',
  'Splice.Wallet.Subscriptions:Subscription',
  'Splice.Wallet.Subscriptions:SubscriptionRequest',
  'Splice.Wallet.Subscriptions:SubscriptionInitialPayment',
  'Splice.Wallet.Subscriptions:SubscriptionIdleState',
  'Splice.Wallet.Subscriptions:SubscriptionPayment',
  'Splice.Amulet:Amulet',
]
const holding = 'Splice.Api.Token.HoldingV1:Holding'
const views = new Map([
  ['splice-amulet:Splice.Amulet:Amulet', { packageId: coins.id, view: (own: Json) => own }],
])

export const spliceCatalog: FakeCatalog = {
  packages: new Map([names, payments, coins, holdings].map(({ id, name }) => [id, name])),
  templates: new Set(templates.map((template) => `${packageOf(template).name}:${template}`)),
  interfaces: new Map([[`${holdings.name}:${holding}`, { interfaceId: `${holdings.id}:${holding}`, views }]]),
}

/**
 * Returns the type that a filter names, as `package-name:Module:Entity`. Undefined if the filter names a
 * package by an id that is unknown.
 */
export function resolved(id: string, { packages }: FakeCatalog): string | undefined {
  const [given = '', ...entity] = id.split(':')
  const name = given.startsWith('#') ? given.slice(1) : packages.get(given)
  return name === undefined ? undefined : [name, ...entity].join(':')
}
