import type { Config } from '../config/resolve.ts'
import { type Clock, momentOf, withWall } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Connections } from '../scan/connections.ts'
import type { Discovery } from '../scan/discovery.ts'
import type { EvidenceLog } from '../scan/evidence-log.ts'
import type { JudgeThread } from '../scan/judge-thread.ts'
import type { Reader } from '../scan/reader.ts'
import type { MirrorTelemetry } from '../telemetry/mirror-events.ts'
import { agreedMigration, agreedRules } from './agreed-ledger.ts'
import { type DrainAndTakeDeps, drainAndTake, guardPackage } from './drain-and-take.ts'
import { DrainSchedule } from './drain-schedule.ts'
import { LedgerHead } from './ledger-head.ts'
import type { Mirror } from './mirror.ts'
import { isEnoughForMirror } from './mirror-electorate.ts'
import type { StatusFacts } from './mirror-status.ts'
import { drainByQuorum } from './quorum-drain.ts'
import { SpotChecks } from './spot-checks.ts'
import type { StreamLevel } from './stream-level.ts'
import { drainOptions } from './trial-drain.ts'
import { UpdatePolls } from './update-polls.ts'
import { Upkeep } from './upkeep.ts'

/**
 * How often scans are asked how late the ledger is, unless `mirror.maxLag` is shorter, and how often
 * until they have said it once.
 */
const headMs = 30_000
const firstHeadMs = 1_000
/** If scans have not said it for this long after the start, the own clock is taken. */
const silentMs = 30_000

export interface MirrorUpkeepDeps {
  readonly clock: Clock
  /**
   * This clock times the requests to scans. An operator of a localnet may move `clock`, but not
   * this one.
   */
  readonly askClock: Clock
  readonly random: Random
  readonly telemetry: MirrorTelemetry
  readonly discovery: Pick<Discovery, 'roster'>
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly reader: Reader
}

/** Keeps the mirror up to date: downloads snapshots, polls for updates, and checks single entries. */
export class MirrorUpkeep implements AsyncDisposable {
  readonly #mirror: Mirror
  readonly #config: Pick<Config, 'mirror' | 'scanClient'>
  readonly #deps: MirrorUpkeepDeps
  readonly #head: LedgerHead
  readonly #schedule: DrainSchedule
  readonly #drainDeps: DrainAndTakeDeps
  readonly #running: Upkeep[] = []
  #receivedBytes = 0
  #reconciled: StatusFacts['reconciled'] = null
  #lastDrainFailedBecause: string | undefined

  constructor(mirror: Mirror, config: Pick<Config, 'mirror' | 'scanClient'>, deps: MirrorUpkeepDeps) {
    this.#mirror = mirror
    this.#config = config
    this.#deps = deps
    const { connections, clock, random } = deps
    const { requestTimeoutMs } = config.scanClient
    this.#head = new LedgerHead({ connections, requestTimeoutMs })
    this.#drainDeps = this.#drainAndTakeDeps()
    this.#schedule = new DrainSchedule({
      clock,
      random,
      settledAt: () => mirror.settledAt,
      drain: (at, signal) => drainAndTake(at, this.#drainDeps, signal),
      retried: (nextAt) => this.#planned(nextAt),
    })
  }

  get facts(): StatusFacts {
    return {
      nextAt: this.#schedule.nextAt,
      receivedBytes: this.#receivedBytes,
      reconciled: this.#reconciled,
      lastDrainFailedBecause: this.#lastDrainFailedBecause,
    }
  }

  start(): void {
    const { clock, askClock } = this.#deps
    const { state } = this.#mirror
    this.#planned(this.#schedule.nextAt)
    this.#run(new Upkeep(this.#schedule, clock), 0)
    this.#run(new Upkeep(this.#learningHead(clock.now() + silentMs), clock), 0)
    this.#run(new Upkeep(this.#checks(), clock))
    if (state !== undefined) this.#run(new Upkeep(this.#updatePolls(state), askClock))
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
    this.#deps.telemetry.planned(new Date(nextAt).toISOString(), isTold, this.#lastDrainFailedBecause)
  }

  #learningHead(trustClockAt: number) {
    const { clock } = this.#deps
    const mirror = this.#mirror
    const { maxLagMs } = this.#config.mirror
    return {
      run: async (signal: AbortSignal) => {
        if (mirror.set === undefined) return
        await this.#learnHead(mirror.set.migrationId, signal)
        if (!mirror.time.isTrusted && clock.now() >= trustClockAt) mirror.trustClock()
      },
      waitMs: () => (mirror.time.isTrusted ? Math.min(headMs, maxLagMs) : firstHeadMs),
    }
  }

  #checks() {
    const { clock, random, reader, telemetry } = this.#deps
    const spotChecks = new SpotChecks({
      clock,
      random,
      mirror: this.#mirror,
      liveAnswer: (question, signal) => reader.liveAnswer(question, signal),
      checked: (outcome) => telemetry.spotChecked(outcome),
    })
    return {
      run: (signal: AbortSignal) =>
        Promise.allSettled([guardPackage(this.#drainDeps), spotChecks.check(signal)]),
      waitMs: () => this.#config.mirror.spotCheckIntervalMs,
    }
  }

  #updatePolls(level: StreamLevel): UpdatePolls {
    const { clock, askClock, discovery, judge, reader, telemetry } = this.#deps
    return new UpdatePolls(this.#config.mirror, {
      clock: askClock,
      answerClock: clock,
      level,
      roster: () => discovery.roster,
      liveAnswer: (question, signal) => reader.liveAnswer(question, signal),
      itemsIn: (body) => judge.updates(body),
      isEnough: isEnoughForMirror,
      follow: (page) => this.#mirror.follow(page),
      received: (bytes) => {
        this.#receivedBytes += bytes
        telemetry.received(bytes)
      },
    })
  }

  async #learnHead(migrationId: number, signal: AbortSignal): Promise<void> {
    const { clock, discovery } = this.#deps
    const { roster } = discovery
    if (roster === undefined) return
    const asked = momentOf(clock)
    const reached = await this.#head.agreed(migrationId, roster, signal)
    if (reached !== undefined) this.#mirror.learnHead(reached, asked, momentOf(clock))
  }

  #drainAndTakeDeps(): DrainAndTakeDeps {
    const { clock, askClock, random, discovery, connections, judge, evidence, telemetry, reader } = this.#deps
    const mirror = this.#mirror
    const { maxEntries, packages } = this.#config.mirror
    const options = drainOptions(this.#config)
    // The time limits of a download follow real time. Otherwise it would end early when an operator
    // moves a localnet's time forward.
    const patient = withWall(askClock, () => clock.wall())
    const drainDeps = { clock: patient, random, connections, judge, roster: () => discovery.roster }
    return {
      mirror,
      maxEntries,
      packages,
      rules: () => agreedRules(reader),
      migrationId: () => agreedMigration(reader),
      learnHead: (migrationId, signal) => this.#learnHead(migrationId, signal),
      drain: (wanted, signal) => drainByQuorum(wanted, options, drainDeps, signal),
      file: (found) => evidence.add(found),
      wall: () => clock.wall(),
      reconciled: (at, outcome) => {
        if (mirror.state === undefined) return
        this.#reconciled = { at: new Date(at).toISOString(), outcome }
        telemetry.reconciled(outcome)
      },
      ended: (outcome, report, why) => {
        this.#lastDrainFailedBecause = why
        telemetry.drained(outcome, { bytes: report?.bytes ?? 0, why })
      },
    }
  }
}
