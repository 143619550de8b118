import { SpliceError, type SpliceErrorCode } from '../errors/splice.ts'
import type { ServiceProtocol } from '../ledger/embedded/protocol.ts'
import type { Party } from '../ledger/value.ts'
import type { RegistryMethods } from '../names/registry.ts'
import type { WalletMethods } from '../wallet/wallet.ts'
import type { LogLine } from './lines.ts'

export interface UserServices {
  readonly registry: RegistryMethods
  readonly wallet: WalletMethods
}

type Service = keyof UserServices
type Method<S extends Service> = keyof UserServices[S] & string
type Arguments<F> = F extends (...args: infer A) => unknown ? A : never

type CallOf<S extends Service> = {
  readonly [M in Method<S>]: {
    readonly service: S
    readonly method: M
    readonly args: Arguments<UserServices[S][M]>
  }
}[Method<S>]

export type Call = CallOf<'registry'> | CallOf<'wallet'>

export interface NameServiceOf {
  readonly dso: Party
  readonly acronym: string
}

export type NameServiceRequest =
  | ({ readonly kind: 'begin' } & NameServiceOf)
  | ({ readonly kind: 'call' } & Call)
  | { readonly kind: 'run-duties' }
  | { readonly kind: 'run-until-idle' }
  | { readonly kind: 'end' }

/**
 * The answer contains no `SpliceError` object, which would lose its class on the way to another
 * thread.
 */
export type NameServiceAnswer =
  | { readonly kind: 'done'; readonly value: unknown }
  | {
      readonly kind: 'refused'
      readonly code: SpliceErrorCode
      readonly values: SpliceError['values']
      readonly retryAfter: number | undefined
    }

/** The messages between the main thread and the name service in the ledger's thread. */
export interface NameServiceProtocol extends ServiceProtocol {
  readonly request: NameServiceRequest
  readonly answer: NameServiceAnswer
  readonly event: LogLine
}

export async function answerOf(value: Promise<unknown>): Promise<NameServiceAnswer> {
  try {
    return { kind: 'done', value: await value }
  } catch (error) {
    if (!(error instanceof SpliceError)) throw error
    const { code, values, retryAfter } = error
    return { kind: 'refused', code, values, retryAfter }
  }
}

export function valueIn(answer: NameServiceAnswer): unknown {
  if (answer.kind === 'done') return answer.value
  const { code, values, retryAfter } = answer
  throw new SpliceError(code, values, retryAfter === undefined ? {} : { retryAfter })
}

const methods: { readonly [S in Service]: Readonly<Record<Method<S>, true>> } = {
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

export function perform(services: UserServices, { service, method, args }: Call): Promise<unknown> {
  type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>
  const of = services[service] as unknown as Readonly<Record<string, AnyMethod>>
  return (of[method] as AnyMethod).call(of, ...args)
}

export function servicesBy(ask: (call: Call) => Promise<unknown>): UserServices {
  const all = (Object.keys(methods) as readonly Service[]).map((service) => {
    const calls = Object.keys(methods[service]).map((method) => [
      method,
      (...args: readonly unknown[]) => ask({ service, method, args } as unknown as Call),
    ])
    return [service, Object.fromEntries(calls)]
  })
  return Object.fromEntries(all)
}
