import type { Submission } from '../ledger/command.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Touched } from '../ledger/update.ts'
import type { Micros } from '../ledger/value.ts'
import { type Clock, milliseconds } from '../lib/clock.ts'
import type { Logger } from '../telemetry/logger.ts'

/** One thing that automation sees to. */
export interface Duty {
  readonly name: string
  /** `Module.Path:Entity` of contracts whose creation makes it look at once. */
  readonly wokenBy: readonly string[]
  /**
   * What is to be submitted at this time. The submissions of one batch stand on their own: they are under way together,
   * and the next batch is asked for when all of them are done.
   */
  batches(now: Micros): AsyncIterable<readonly Submission[]>
}

export interface AutomationOptions {
  /** In the order in which they are looked at. */
  readonly duties: readonly Duty[]
  /** How often everything is looked at, whether or not something happened (Splice: 30 s). */
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
 * Sees to its duties, one at a time and in turn: whenever a contract is created that one of them waits for, and every
 * so often all of them. A duty that got something done is looked at again. What fails is tried again at the next poll:
 * the ledger alone keeps what is done, so that a crash or a second loop does no harm.
 */
export class Automation implements AsyncDisposable {
  readonly #duties: readonly Duty[]
  readonly #pollMs: number
  readonly #deps: AutomationDeps
  readonly #wokenBy = new Map<string, Duty[]>()
  /** What is to be looked at, first come first served, and who waits for it. */
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

  /** Looks at everything, and from then on by itself. */
  start(): void {
    this.#stops = [this.#deps.ledger.watch((touched) => this.#told(touched))]
    void this.#poll()
  }

  /**
   * Looks at everything, and resolves when there is nothing left to do at this time; also where users keep it busy, as
   * soon as what was there at the call is done.
   */
  async settle(): Promise<void> {
    for (let round = 0; round < longestChain; round++) {
      const before = this.#changes
      await this.#lookAt(this.#duties)
      if (this.#changes === before) return
    }
  }

  /** Resolves when what is under way is done. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    for (const stop of this.#stops) stop()
    await this.#running
  }

  /** Looks at everything once. */
  look(): Promise<void> {
    return this.#lookAt(this.#duties)
  }

  async #poll(): Promise<void> {
    await this.look()
    if (!this.#stopped) this.#stops[1] = this.#deps.clock.after(this.#pollMs, () => void this.#poll())
  }

  #told({ created }: Touched): void {
    for (const template of created) {
      const woken = this.#wokenBy.get(template)
      if (woken !== undefined) void this.#lookAt(woken)
    }
  }

  /** Resolves when each of the duties has been looked at from now on. */
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
    // In the same turn as the look that found nothing wanted: what is wanted from now on starts another run.
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
