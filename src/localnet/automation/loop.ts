import { type Clock, milliseconds } from '../../base/lib/clock.ts'
import type { Logger } from '../../base/telemetry/logger.ts'
import type { EmbeddedLedger } from '../../registry/ledger/embedded/embedded-ledger.ts'
import type { Submission } from '../../registry/ledger/ledger.ts'
import type { Touched } from '../../registry/ledger/update.ts'
import type { Duty } from './duty.ts'

/** The interval at which all duties run, as in Splice's automation. */
const pollMs = milliseconds('30s')

export interface AutomationDeps {
  readonly ledger: Pick<EmbeddedLedger, 'submit' | 'watch'>
  readonly clock: Pick<Clock, 'wall' | 'after'>
  readonly logger: Logger
}

const mostPasses = 20

/**
 * Runs duties one at a time. A new contract queues the duties that its template wakes. A duty that
 * changed the ledger is queued again. A duty that failed waits for a new contract or the next
 * poll.
 *
 * All state is on the ledger. A crash, or a second `Automation` on the same ledger, therefore does
 * no harm.
 */
export class Automation implements AsyncDisposable {
  readonly #duties: readonly Duty[]
  readonly #deps: AutomationDeps
  readonly #wokenBy = new Map<string, Duty[]>()
  readonly #wanted = new Map<Duty, PromiseWithResolvers<void>>()
  #running: Promise<void> | undefined
  #changes = 0
  #unwatch: () => void = () => {}
  #stopPolling: () => void = () => {}
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

  start(): void {
    this.#unwatch = this.#deps.ledger.watch((touched) => this.#woken(touched))
    void this.#poll()
  }

  /**
   * Runs all duties until none of them changes the ledger, but at most `mostPasses`
   * times, because users may add work meanwhile.
   */
  async runUntilIdle(): Promise<void> {
    for (let pass = 0; pass < mostPasses; pass++) {
      const before = this.#changes
      await this.#enqueue(this.#duties)
      if (this.#changes === before) return
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    this.#unwatch()
    this.#stopPolling()
    await this.#running
  }

  runDuties(): Promise<void> {
    return this.#enqueue(this.#duties)
  }

  async #poll(): Promise<void> {
    await this.runDuties()
    if (!this.#stopped) this.#stopPolling = this.#deps.clock.after(pollMs, () => void this.#poll())
  }

  #woken({ created }: Touched): void {
    for (const template of created) {
      const woken = this.#wokenBy.get(template)
      if (woken !== undefined) void this.#enqueue(woken)
    }
  }

  async #enqueue(duties: readonly Duty[]): Promise<void> {
    const runs = duties.map((duty) => {
      const wanted = this.#wanted.get(duty) ?? Promise.withResolvers<void>()
      this.#wanted.set(duty, wanted)
      return wanted.promise
    })
    this.#running ??= this.#run()
    await Promise.all(runs)
  }

  async #run(): Promise<void> {
    await Promise.resolve()
    for (const [duty, { resolve }] of this.#wanted) {
      this.#wanted.delete(duty)
      try {
        if (!this.#stopped && (await this.#runOnce(duty))) void this.#enqueue([duty])
      } catch (error) {
        this.#deps.logger.error({ duty: duty.name, err: error }, 'automation could not do its duty')
      }
      resolve()
    }
    // Nothing can be queued between the end of the loop and the next line, because no `await` is
    // between them. A duty that is queued later thus starts another run.
    this.#running = undefined
  }

  async #runOnce(duty: Duty): Promise<boolean> {
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
