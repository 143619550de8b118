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
  readonly ledger: Pick<EmbeddedLedger<NameServiceProtocol>, 'askService'>
  readonly clock: Clock
}

/**
 * Forwards calls from the main thread to the name service in the ledger's thread (`in-thread.ts`).
 * The stub also makes automation look for work regularly, because the name service's clock has no
 * timers.
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

  static async begin(service: NameServiceOf, deps: NameServiceStubDeps): Promise<NameServiceStub> {
    const stub = new NameServiceStub(deps)
    await stub.#ask({ kind: 'begin', ...service })
    stub.#poll()
    return stub
  }

  /**
   * Resolves when automation has nothing left to do, or after a limited number of passes.
   * @throws LedgerUnavailable if the ledger's thread cannot answer.
   */
  async runUntilIdle(): Promise<void> {
    await this.#ask({ kind: 'run-until-idle' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop()
    await this.#unlessGone({ kind: 'end' })
  }

  #poll(): void {
    this.#stop = this.#deps.clock.after(pollMs, () => {
      this.#poll()
      void this.#unlessGone({ kind: 'run-duties' })
    })
  }

  /**
   * Ignores `LedgerUnavailable`: too many requests wait for the ledger, or the ledger's thread has
   * ended, and the name service with it.
   */
  async #unlessGone(request: NameServiceRequest): Promise<void> {
    try {
      await this.#ask(request)
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error
    }
  }

  async #ask(request: NameServiceRequest): Promise<unknown> {
    return valueIn(await this.#deps.ledger.askService(request))
  }
}
