import type { Submission } from '../ledger/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Touched } from '../ledger/update.ts'
import type { Micros } from '../ledger/value.ts'
import { type Clock, milliseconds } from '../lib/clock.ts'
import type { Logger } from '../telemetry/logger.ts'

/** One task of automation: it reads the ledger and returns the submissions that are needed now. */
export interface Duty {
  readonly name: string
  /** Templates as `Module.Path:Entity`. The creation of a contract of such a template starts the task at once. */
  readonly wokenBy: readonly string[]
  /**
   * Yields the submissions that are needed at this time, in batches. The submissions of one batch do not depend on
   * each other and are submitted together. The next batch is read once all of them have an outcome.
   */
  batches(now: Micros): AsyncIterable<readonly Submission[]>
}

/** The interval at which the owner of an `Automation` calls `look`, whether or not a contract was created (Splice: 30 s). */
export const pollMs = milliseconds('30s')

export interface AutomationDeps {
  readonly ledger: Pick<Ledger, 'submit' | 'watch'>
  readonly clock: Pick<Clock, 'wall'>
  readonly logger: Logger
}

/** `settle` gives up after this many passes over all tasks, so that it always ends. */
const longestChain = 20

/**
 * Runs tasks (`Duty`) one at a time: a task when a contract is created that wakes it, and all tasks when `look` is called.
 * A task that changed the ledger runs again. A task that failed runs again at the next `look`. All state is in the
 * ledger, so a crash or a second loop does no harm.
 */
export class Automation implements AsyncDisposable {
  readonly #duties: readonly Duty[]
  readonly #deps: AutomationDeps
  readonly #wokenBy = new Map<string, Duty[]>()
  /** The tasks that are queued to run, in the order of request. Each promise resolves when its task has run. */
  readonly #wanted = new Map<Duty, PromiseWithResolvers<void>>()
  #running: Promise<void> | undefined
  #changes = 0
  #unwatch: () => void = () => {}
  #stopped = false

  constructor(duties: readonly Duty[], deps: AutomationDeps) {
    this.#duties = duties
    this.#deps = deps
    for (const duty of duties) {
      for (const template of duty.wokenBy) {
        this.#wokenBy.set(template, [...(this.#wokenBy.get(template) ?? []), duty])
      }
    }
  }

  /** Runs all tasks now, and from now on a task when a contract wakes it. */
  start(): void {
    this.#unwatch = this.#deps.ledger.watch((touched) => this.#woken(touched))
    void this.look()
  }

  /**
   * Runs all tasks again and again until a pass over them changes nothing. Work that users add meanwhile can prolong
   * it, but only to `longestChain` passes.
   */
  async settle(): Promise<void> {
    for (let round = 0; round < longestChain; round++) {
      const before = this.#changes
      await this.#lookAt(this.#duties)
      if (this.#changes === before) return
    }
  }

  /** Stops the loop and resolves when the task that runs now has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    this.#unwatch()
    await this.#running
  }

  /** Runs all tasks once. */
  look(): Promise<void> {
    return this.#lookAt(this.#duties)
  }

  #woken({ created }: Touched): void {
    for (const template of created) {
      const woken = this.#wokenBy.get(template)
      if (woken !== undefined) void this.#lookAt(woken)
    }
  }

  /** Queues these tasks. Resolves when each of them has run. */
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
    // This happens in the same turn as the end of the loop above, so a task that is requested from now on starts
    // another run.
    this.#running = undefined
  }

  /** Runs a task once. Returns whether it changed the ledger. */
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
