import type { Config } from '../base/config/resolve.ts'
import type { Answer } from '../core/cache/answer.ts'
import { lookupAnsEntryByName } from '../core/reads/ans.ts'
import { compareEntries } from './continuity.ts'
import { DrainSchedule } from './drain-schedule.ts'
import { Drains } from './drains.ts'
import type { Mirror } from './mirror.ts'
import type { UpkeepDeps } from './mirror-deps.ts'
import type { StatusFacts } from './mirror-status.ts'
import { entryOfAnswer } from './name-state.ts'
import type { Binding } from './taken-set.ts'
import { UpdatePolls } from './update-polls.ts'
import { Upkeep, type UpkeepTask } from './upkeep.ts'

/**
 * How often scans are asked how late the ledger is, unless `mirror.maxLag` is shorter, and how often
 * until they have said it once.
 */
const headMs = 30_000
const firstHeadMs = 1_000
/** If scans have not said it for this long after the start, the own clock is taken. */
const silentMs = 30_000

/** Keeps the mirror up to date: downloads snapshots, polls for updates, and checks single entries. */
export class MirrorUpkeep implements AsyncDisposable {
  readonly #mirror: Mirror
  readonly #config: Pick<Config, 'mirror' | 'scanClient'>
  readonly #deps: UpkeepDeps
  readonly #drains: Drains
  readonly #schedule: DrainSchedule
  readonly #polls: UpdatePolls
  readonly #running: Upkeep[] = []

  constructor(mirror: Mirror, config: Pick<Config, 'mirror' | 'scanClient'>, deps: UpkeepDeps) {
    this.#mirror = mirror
    this.#config = config
    this.#deps = deps
    this.#drains = new Drains(mirror, config, deps)
    this.#schedule = new DrainSchedule({
      clock: deps.clock,
      random: deps.random,
      settledAt: () => mirror.settledAt,
      drain: (at, signal) => this.#drains.drain(at, signal),
      retried: (nextAt) => this.#planned(nextAt),
    })
    this.#polls = new UpdatePolls(config.mirror, mirror, deps)
  }

  get facts(): StatusFacts {
    const { reconciled, lastFailedBecause } = this.#drains
    return {
      nextAt: this.#schedule.nextAt,
      receivedBytes: this.#polls.receivedBytes,
      reconciled,
      lastDrainFailedBecause: lastFailedBecause,
    }
  }

  start(): void {
    const { clock, askClock } = this.#deps
    this.#planned(this.#schedule.nextAt)
    this.#run(new Upkeep(this.#schedule, clock), 0)
    this.#run(new Upkeep(this.#learningHead(clock.now() + silentMs), clock), 0)
    this.#run(new Upkeep(this.#checks(), clock))
    if (this.#mirror.state !== undefined) this.#run(new Upkeep(this.#polls, askClock))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((each) => each[Symbol.asyncDispose]()))
  }

  #run(upkeep: Upkeep, waitMs?: number): void {
    this.#running.push(upkeep)
    upkeep.start(waitMs)
  }

  #planned(nextAt: number): void {
    const { set, degradation } = this.#mirror
    const isTold = set !== undefined || degradation?.kind === 'package'
    this.#deps.telemetry.planned(new Date(nextAt).toISOString(), isTold, this.#drains.lastFailedBecause)
  }

  #learningHead(trustClockAt: number): UpkeepTask {
    const mirror = this.#mirror
    const { maxLagMs } = this.#config.mirror
    return {
      run: async (signal) => {
        if (mirror.set === undefined) return
        await this.#drains.learnHead(mirror.set.migrationId, signal)
        if (!mirror.time.isTrusted && this.#deps.clock.now() >= trustClockAt) mirror.trustClock()
      },
      waitMs: () => (mirror.time.isTrusted ? Math.min(headMs, maxLagMs) : firstHeadMs),
    }
  }

  #checks(): UpkeepTask {
    const spotChecks = new SpotChecks(this.#mirror, this.#deps)
    return {
      run: (signal) => Promise.allSettled([this.#drains.guardPackage(), spotChecks.check(signal)]),
      waitMs: () => this.#config.mirror.spotCheckIntervalMs,
    }
  }
}

const hourMs = 3_600_000
const mostDraws = 8

/**
 * Compares single mirrored entries with answers of super validators. Two differences within an hour
 * stop the mirror.
 */
class SpotChecks {
  readonly #mirror: Mirror
  readonly #deps: UpkeepDeps
  #differedAt = Number.NEGATIVE_INFINITY

  constructor(mirror: Mirror, deps: UpkeepDeps) {
    this.#mirror = mirror
    this.#deps = deps
  }

  async check(signal: AbortSignal): Promise<void> {
    const { telemetry } = this.#deps
    const drawn = this.#draw()
    if (drawn === undefined) return
    const drawnEntry = drawn.held.entry
    const answer = await this.#live(drawnEntry.name, signal)
    if (answer === undefined) return telemetry.spotChecked('unanswered')
    const entry = entryOfAnswer(answer)
    const change = entry === undefined ? 'other' : compareEntries(drawnEntry, entry)
    if (change === 'same' || change === 'renewed') return telemetry.spotChecked(change)
    // The live read found no entry, or one that is neither the same nor a renewal.
    telemetry.spotChecked('different')
    this.#differ(drawn, answer)
  }

  #draw(): Binding | undefined {
    for (let draw = 0; draw < mostDraws; draw++) {
      const drawn = this.#mirror.draw(this.#deps.random)
      if (drawn !== undefined) return drawn
    }
    return undefined
  }

  /** Asks super validators, not the mirror or a cache. Resolves to undefined if they do not agree. */
  async #live(name: string, signal: AbortSignal): Promise<Answer | undefined> {
    try {
      return await this.#deps.reader.liveAnswer({ read: lookupAnsEntryByName, params: { name } }, signal)
    } catch (error) {
      if (signal.aborted) throw error
      return undefined
    }
  }

  #differ(drawn: Binding, answer: Answer): void {
    const by = { entry: entryOfAnswer(answer), agreement: answer.agreement }
    this.#mirror.contradicted(drawn, by, 'a spot check contradicts the mirror')
    const now = this.#deps.clock.now()
    if (now - this.#differedAt < hourMs) this.#mirror.stop({ kind: 'spot-checks' })
    this.#differedAt = now
  }
}
