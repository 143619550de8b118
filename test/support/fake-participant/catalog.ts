export const names = { id: 'a'.repeat(64), name: 'splice-amulet-name-service' }
const payments = { id: 'b'.repeat(64), name: 'splice-wallet-payments' }
const coins = { id: 'c'.repeat(64), name: 'splice-amulet' }

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
const packages = new Map([names, payments, coins].map(({ id, name }) => [id, name]))

export const knownPackages: ReadonlySet<string> = new Set(packages.values())
/** The templates that a participant knows, in the form `package-name:Module:Entity`. */
export const knownTemplates: ReadonlySet<string> = new Set(
  templates.map((template) => `${packageOf(template).name}:${template}`),
)

/** Returns `id` in the form `package-name:Module:Entity`. Undefined if `id` begins with an unknown package id. */
export function resolved(id: string): string | undefined {
  const [given = '', ...entity] = id.split(':')
  const name = given.startsWith('#') ? given.slice(1) : packages.get(given)
  return name === undefined ? undefined : [name, ...entity].join(':')
}
