import { LedgerUnavailable } from '../ledger/ledger.ts'
import { type Clock, milliseconds } from '../lib/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Line, NameServiceOf, Question } from './resident.ts'

export interface DistantAutomationDeps {
  /** In whose thread the automation lives. */
  readonly ledger: { ask(question: unknown): Promise<unknown> }
  readonly clock: Clock
}

/** How often everything is looked at, whether or not something happened (Splice: 30 s). */
const pollMs = milliseconds('30s')

/** Automation that lives in its ledger's thread, as those outside see it. The clock is theirs. */
export class DistantAutomation implements AsyncDisposable {
  readonly #deps: DistantAutomationDeps
  #stop: () => void = () => {}

  private constructor(deps: DistantAutomationDeps) {
    this.#deps = deps
  }

  /** Resolves when it looks at everything, and from then on by itself. */
  static async begin(service: NameServiceOf, deps: DistantAutomationDeps): Promise<DistantAutomation> {
    const made = new DistantAutomation(deps)
    await made.#ask({ kind: 'begin', ...service })
    made.#poll()
    return made
  }

  /**
   * Looks at everything, and resolves when there is nothing left to do at this time; also where users keep it busy, as
   * soon as what was there at the call is done. Rejects with `LedgerUnavailable`.
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

  /** With its ledger's thread automation has ended, too. */
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

/** Writes what automation says to the log. */
export function logLine(logger: Logger, said: unknown): void {
  const { level, fields, message } = said as Line
  logger[level](fields, message)
}
