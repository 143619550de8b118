import { LedgerUnavailable } from '../ledger/ledger.ts'
import { type Clock, milliseconds } from '../lib/clock.ts'
import { type NameServiceOf, type Question, servicesBy, type UserServices } from './calls.ts'

export interface DistantNameServiceDeps {
  /** In whose thread the name service lives. */
  readonly ledger: { ask(question: unknown): Promise<unknown> }
  readonly clock: Clock
}

/** How often automation looks at everything, whether or not something happened (Splice: 30 s). */
const pollMs = milliseconds('30s')

/** A name service that lives in its ledger's thread, as those outside see it. The clock is theirs. */
export class DistantNameService implements UserServices, AsyncDisposable {
  readonly registry: UserServices['registry']
  readonly wallet: UserServices['wallet']
  readonly #deps: DistantNameServiceDeps
  #stop: () => void = () => {}

  private constructor(deps: DistantNameServiceDeps) {
    this.#deps = deps
    const { registry, wallet } = servicesBy((call) => this.#ask({ kind: 'call', ...call }))
    this.registry = registry
    this.wallet = wallet
  }

  /** Resolves when automation looks at everything, and from then on by itself. */
  static async begin(service: NameServiceOf, deps: DistantNameServiceDeps): Promise<DistantNameService> {
    const made = new DistantNameService(deps)
    await made.#ask({ kind: 'begin', ...service })
    made.#poll()
    return made
  }

  /**
   * Automation looks at everything; resolves when there is nothing left to do at this time; also where users keep it
   * busy, as soon as what was there at the call is done. Rejects with `LedgerUnavailable`.
   */
  async settle(): Promise<void> {
    await this.#ask({ kind: 'settle' })
  }

  /** Resolves when what is under way is done. */
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

  /** With its ledger's thread the name service has ended, too. */
  async #unlessGone(question: Question): Promise<void> {
    try {
      await this.#ask(question)
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error
    }
  }

  #ask(question: Question): Promise<unknown> {
    return this.#deps.ledger.ask(question)
  }
}
