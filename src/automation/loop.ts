import type { Submission } from '../ledger/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Touched } from '../ledger/update.ts'
import type { Micros } from '../ledger/value.ts'
import { type Clock, milliseconds } from '../lib/clock.ts'
import type { Logger } from '../telemetry/logger.ts'

/** One task of automation. */
export interface Duty {
  readonly name: string
  /** `Module.Path:Entity` of contracts whose creation starts the duty at once. */
  readonly wokenBy: readonly string[]
  /**
   * The submissions that are due at this time. Those of one batch do not depend on each other and are submitted together;
   * the next batch is read when all of them are done.
   */
  batches(now: Micros): AsyncIterable<readonly Submission[]>
}

export interface AutomationOptions {
  readonly duties: readonly Duty[]
  /** How often all duties run, whether or not something happened (Splice: 30 s). */
  readonly pollMs?: number
}

export interface AutomationDeps {
  readonly ledger: Pick<Ledger, 'submit' | 'watch'>
  readonly clock: Clock
  readonly logger: Logger
}

/** No chain of duties that wake each other is longer. */
const longestChain = 20

/**
 * Runs its duties, one at a time: a duty when a contract is created that it waits for, and all of them every `pollMs`. A
 * duty that changed something runs again. A failed duty runs again at the next poll. All state is in the ledger, so that
 * a crash or a second loop does no harm.
 */
export class Automation implements AsyncDisposable {
  readonly #duties: readonly Duty[]
  readonly #pollMs: number
  readonly #deps: AutomationDeps
  readonly #wokenBy = new Map<string, Duty[]>()
  /** Duties to run, first come first served, and the promises that wait for them. */
  readonly #wanted = new Map<Duty, PromiseWithResolvers<void>>()
  #running: Promise<void> | undefined
  #changes = 0
  #stops: (() => void)[] = []
  #stopped = false

  constructor({ duties, pollMs = milliseconds('30s') }: AutomationOptions, deps: AutomationDeps) {
    this.#duties = duties
    this.#pollMs = pollMs
    this.#deps = deps
    for (const duty of duties) {
      for (const template of duty.wokenBy) {
        this.#wokenBy.set(template, [...(this.#wokenBy.get(template) ?? []), duty])
      }
    }
  }

  /** Runs all duties now, and from then on whenever they are due. */
  start(): void {
    this.#stops = [this.#deps.ledger.watch((touched) => this.#woken(touched))]
    void this.#poll()
  }

  /**
   * Runs all duties until nothing is left to do at this time. It does not wait for work that users add meanwhile.
   */
  async settle(): Promise<void> {
    for (let round = 0; round < longestChain; round++) {
      const before = this.#changes
      await this.#lookAt(this.#duties)
      if (this.#changes === before) return
    }
  }

  /** Resolves when the work under way is done. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    for (const stop of this.#stops) stop()
    await this.#running
  }

  /** Runs all duties once. */
  look(): Promise<void> {
    return this.#lookAt(this.#duties)
  }

  async #poll(): Promise<void> {
    await this.look()
    if (!this.#stopped) this.#stops[1] = this.#deps.clock.after(this.#pollMs, () => void this.#poll())
  }

  #woken({ created }: Touched): void {
    for (const template of created) {
      const woken = this.#wokenBy.get(template)
      if (woken !== undefined) void this.#lookAt(woken)
    }
  }

  /** Resolves when each of the duties has run, from now on. */
  async #lookAt(duties: readonly Duty[]): Promise<void> {
    const looks = duties.map((duty) => {
      const wanted = this.#wanted.get(duty) ?? Promise.withResolvers<void>()
      this.#wanted.set(duty, wanted)
      return wanted.promise
    })
    this.#running ??= this.#run()
    await Promise.all(looks)
  }

  async #run(): Promise<void> {
    await Promise.resolve()
    for (const [duty, { resolve }] of this.#wanted) {
      this.#wanted.delete(duty)
      try {
        if (!this.#stopped && (await this.#see(duty))) void this.#lookAt([duty])
      } catch (error) {
        this.#deps.logger.error({ duty: duty.name, err: error }, 'automation could not do its duty')
      }
      resolve()
    }
    // In the same turn as the end of the loop above, so that a duty wanted from now on starts another run.
    this.#running = undefined
  }

  /** Whether something was changed. */
  async #see(duty: Duty): Promise<boolean> {
    const before = this.#changes
    for await (const batch of duty.batches(Math.floor(this.#deps.clock.wall() * 1000))) {
      await Promise.all(batch.map((submission) => this.#submit(duty, submission)))
      if (this.#stopped) break
    }
    return this.#changes !== before
  }

  async #submit(duty: Duty, submission: Submission): Promise<void> {
    const { ledger, logger } = this.#deps
    const outcome = await ledger.submit(submission)
    if (outcome.kind === 'refused') {
      const { code, message } = outcome
      logger.warn({ duty: duty.name, code, reason: message }, 'the ledger refused what automation submitted')
    } else if (!outcome.duplicate) this.#changes++
  }
}
