import { pollMs } from '../automation/loop.ts'
import type { EmbeddedLedger } from '../ledger/embedded/embedded-ledger.ts'
import { LedgerUnavailable } from '../ledger/ledger.ts'
import type { Clock } from '../lib/clock.ts'
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

/**
 * Forwards calls to the name service in the ledger's thread (`in-thread.ts`). It runs in the main thread, which has
 * the clock.
 */
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

  /** Starts the name service. Its automation runs all tasks now and then every half minute. */
  static async begin(service: NameServiceOf, deps: NameServiceStubDeps): Promise<NameServiceStub> {
    const stub = new NameServiceStub(deps)
    await stub.#ask({ kind: 'begin', ...service })
    stub.#poll()
    return stub
  }

  /**
   * Resolves when automation has nothing left to do at this time. Work that users add meanwhile can delay this, but
   * not without end. Rejects with `LedgerUnavailable`.
   */
  async settle(): Promise<void> {
    await this.#ask({ kind: 'settle' })
  }

  /** Ends the name service, and resolves when its calls and its automation have ended. */
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

  /**
   * Sends a request, and ignores `LedgerUnavailable`: that error means that the ledger's thread, and the service in
   * it, have ended.
   */
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
