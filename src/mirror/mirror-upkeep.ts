import type { Config } from '../base/config/resolve.ts'
import { DrainSchedule } from './drain-schedule.ts'
import { Drains } from './drains.ts'
import type { Mirror } from './mirror.ts'
import type { UpkeepDeps } from './mirror-deps.ts'
import type { StatusFacts } from './mirror-status.ts'
import { SpotChecks } from './spot-checks.ts'
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
