import type { Party } from '../ledger/value.ts'
import type { RegistryMethods } from '../names/registry.ts'
import type { WalletMethods } from '../wallet/wallet.ts'

/** What is asked of a name service that lives in its ledger's thread. */
export type Question =
  | ({ readonly kind: 'begin' } & NameServiceOf)
  | ({ readonly kind: 'call' } & Call)
  /** Automation is to look at everything. */
  | { readonly kind: 'look' }
  /** It is to look until there is nothing left to do at this time. */
  | { readonly kind: 'settle' }
  /** To do no more, and say when what is under way is done. */
  | { readonly kind: 'end' }

export interface NameServiceOf {
  readonly dso: Party
  /** Of the name service, in lower case. */
  readonly acronym: string
}

/** What users do by their tokens. */
export interface UserServices {
  readonly registry: RegistryMethods
  readonly wallet: WalletMethods
}

type Service = keyof UserServices
type Method = (...args: unknown[]) => Promise<unknown>

/** A method called from another thread: arguments and results are plain data, which is cloned. */
export interface Call {
  readonly service: Service
  readonly method: string
  readonly args: readonly unknown[]
}

const methods: { readonly [S in Service]: Readonly<Record<keyof UserServices[S], true>> } = {
  registry: { create: true, list: true },
  wallet: {
    accept: true,
    balance: true,
    cancel: true,
    initialPayments: true,
    isRenewing: true,
    reject: true,
    request: true,
    requests: true,
    setRenewing: true,
    subscriptions: true,
    tap: true,
  },
}

/** Makes a call where the services are. */
export function perform(services: UserServices, { service, method, args }: Call): Promise<unknown> {
  const of = services[service] as unknown as Readonly<Record<string, Method>>
  return (of[method] as Method).call(of, ...args)
}

/** The services as those see them who can only ask for calls. */
export function servicesBy(ask: (call: Call) => Promise<unknown>): UserServices {
  const all = (Object.keys(methods) as readonly Service[]).map((service) => {
    const calls = Object.keys(methods[service]).map((method) => [
      method,
      (...args: readonly unknown[]) => ask({ service, method, args }),
    ])
    return [service, Object.fromEntries(calls)]
  })
  return Object.fromEntries(all)
}
