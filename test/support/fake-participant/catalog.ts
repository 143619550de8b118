import type { Json } from './json.ts'

/** How the contracts of one template look through an interface. `packageId` is the id of the template's package. */
export interface View {
  readonly packageId: string
  view(argument: Json): Json
}

export interface KnownInterface {
  /** In the form `<package id>:Module:Entity`. */
  readonly interfaceId: string
  /** The views by template, in the form `package-name:Module:Entity`. */
  readonly views: ReadonlyMap<string, View>
}

/** The packages that a participant knows. Templates and interfaces are named `package-name:Module:Entity`. */
export interface FakeCatalog {
  readonly packages: ReadonlyMap<string, string>
  readonly templates: ReadonlySet<string>
  readonly interfaces: ReadonlyMap<string, KnownInterface>
}

export const names = { id: 'a'.repeat(64), name: 'splice-amulet-name-service' }
const payments = { id: 'b'.repeat(64), name: 'splice-wallet-payments' }
const coins = { id: 'c'.repeat(64), name: 'splice-amulet' }
const holdings = { id: 'd'.repeat(64), name: 'splice-api-token-holding-v1' }

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

/** Returns `id` in the form `package-name:Module:Entity`. Undefined if `id` begins with an unknown package id. */
export function resolved(id: string, { packages }: FakeCatalog): string | undefined {
  const [given = '', ...entity] = id.split(':')
  const name = given.startsWith('#') ? given.slice(1) : packages.get(given)
  return name === undefined ? undefined : [name, ...entity].join(':')
}
