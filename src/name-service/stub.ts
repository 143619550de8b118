import type { EmbeddedLedger } from '../ledger/embedded/embedded-ledger.ts'
import { LedgerUnavailable } from '../ledger/ledger.ts'
import { type Clock, milliseconds } from '../lib/clock.ts'
import {
  type NameServiceOf,
  type NameServiceProtocol,
  type NameServiceRequest,
  servicesBy,
  type UserServices,
  valueIn,
} from './calls.ts'

export interface NameServiceStubDeps {
  readonly ledger: Pick<EmbeddedLedger<NameServiceProtocol>, 'ask'>
  readonly clock: Clock
}

/** How often automation looks at everything, whether or not something happened (Splice: 30 s). */
const pollMs = milliseconds('30s')

/** The main thread's stub of the name service in the ledger's thread (`in-thread.ts`). The main thread has the clock. */
export class NameServiceStub implements UserServices, AsyncDisposable {
  readonly registry: UserServices['registry']
  readonly wallet: UserServices['wallet']
  readonly #deps: NameServiceStubDeps
  #stop: () => void = () => {}

  private constructor(deps: NameServiceStubDeps) {
    this.#deps = deps
    const { registry, wallet } = servicesBy((call) => this.#ask({ kind: 'call', ...call }))
    this.registry = registry
    this.wallet = wallet
  }

  /** Starts the service. Its automation looks at everything now and then every half minute. */
  static async begin(service: NameServiceOf, deps: NameServiceStubDeps): Promise<NameServiceStub> {
    const stub = new NameServiceStub(deps)
    await stub.#ask({ kind: 'begin', ...service })
    stub.#poll()
    return stub
  }

  /**
   * Lets automation look at everything until nothing is left to do at this time. Work that users add meanwhile is not
   * waited for. Rejects with `LedgerUnavailable`.
   */
  async settle(): Promise<void> {
    await this.#ask({ kind: 'settle' })
  }

  /** Resolves when the work under way is done. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop()
    await this.#unlessGone({ kind: 'end' })
  }

  #poll(): void {
    this.#stop = this.#deps.clock.after(pollMs, () => {
      this.#poll()
      void this.#unlessGone({ kind: 'look' })
    })
  }

  /** The service ends with its ledger's thread, and has nothing left to do then. */
  async #unlessGone(request: NameServiceRequest): Promise<void> {
    try {
      await this.#ask(request)
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error
    }
  }

  async #ask(request: NameServiceRequest): Promise<unknown> {
    return valueIn(await this.#deps.ledger.ask(request))
  }
}
