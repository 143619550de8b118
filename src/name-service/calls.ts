import { SpliceError, type SpliceErrorCode } from '../errors/splice.ts'
import type { ServiceProtocol } from '../ledger/embedded/protocol.ts'
import type { Party } from '../ledger/value.ts'
import type { RegistryMethods } from '../names/registry.ts'
import type { WalletMethods } from '../wallet/wallet.ts'
import type { LogLine } from './lines.ts'

/** The services whose methods users call. */
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

/** A call of a method of the registry or the wallet, which will be made in the ledger's thread. */
export type Call = CallOf<'registry'> | CallOf<'wallet'>

export interface NameServiceOf {
  readonly dso: Party
  /** The part of every name after its last dot, in lower case: `cns`. */
  readonly acronym: string
}

export type NameServiceRequest =
  | ({ readonly kind: 'begin' } & NameServiceOf)
  | ({ readonly kind: 'call' } & Call)
  /** Runs all duties of automation once. */
  | { readonly kind: 'look' }
  /** Runs all duties of automation until nothing is left to do at this time, or the limit of passes is reached. */
  | { readonly kind: 'settle' }
  /** Ends the service. The service answers when all calls and the automation have ended. */
  | { readonly kind: 'end' }

/**
 * The result of a request: its value, or the `SpliceError` with which it failed. Both are plain data, because
 * an error object would lose its class when it is sent to another thread.
 */
export type NameServiceAnswer =
  | { readonly kind: 'done'; readonly value: unknown }
  | {
      readonly kind: 'refused'
      readonly code: SpliceErrorCode
      readonly values: SpliceError['values']
      /** The value of `SpliceError.retryAfter`, in seconds. */
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

/**
 * Returns the value in an answer of the service.
 * @throws SpliceError if the request failed with this error.
 */
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

/** Calls a method of the services. This function runs in the ledger's thread, where the services are. */
export function perform(services: UserServices, { service, method, args }: Call): Promise<unknown> {
  type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>
  const of = services[service] as unknown as Readonly<Record<string, AnyMethod>>
  return (of[method] as AnyMethod).call(of, ...args)
}

/**
 * Returns client stubs of the services: the same methods, each of which passes its call to `ask`. `ask` must
 * send the call to the ledger's thread.
 */
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
