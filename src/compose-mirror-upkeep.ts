import { agreedMigration, agreedValue, drainOptions } from './compose-mirror-drain.ts'
import type { Config } from './config/resolve.ts'
import { type Clock, momentOf } from './lib/clock.ts'
import type { Random } from './lib/random.ts'
import { type DrainAndTakeDeps, drainAndTake, guardPackage } from './mirror/drain-and-take.ts'
import { DrainSchedule } from './mirror/drain-schedule.ts'
import { LedgerHead } from './mirror/ledger-head.ts'
import type { Mirror } from './mirror/mirror.ts'
import { isEnoughForMirror } from './mirror/mirror-electorate.ts'
import type { StatusFacts } from './mirror/mirror-status.ts'
import { drainByQuorum } from './mirror/quorum-drain.ts'
import { SpotChecks } from './mirror/spot-checks.ts'
import { UpdatePolls } from './mirror/update-polls.ts'
import { Upkeep } from './mirror/upkeep.ts'
import { type AmuletRules, getAmuletRules } from './reads/dso.ts'
import type { Connections } from './scan/connections.ts'
import type { Discovery } from './scan/discovery.ts'
import type { EvidenceLog } from './scan/evidence-log.ts'
import type { JudgeThread } from './scan/judge-thread.ts'
import type { Reader } from './scan/reader.ts'
import type { MirrorTelemetry } from './telemetry/mirror-events.ts'

/**
 * How often scans are asked how late the ledger is, unless `mirror.maxLag` is shorter, and how often
 * until they have said it once.
 */
const headMs = 30_000
const firstHeadMs = 1_000
/** If scans have not said it for this long after the start, the own clock is taken. */
const silentMs = 30_000

export type MirrorUpkeepConfig = Pick<Config, 'mirror' | 'scanClient'>

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
}

export type MirrorFacts = { -readonly [Name in Exclude<keyof StatusFacts, 'nextAt'>]: StatusFacts[Name] }

/** Disposing this object stops the downloads, polls and checks that keep the mirror up to date. */
export interface RunningUpkeep extends AsyncDisposable {
  /** The next download of a snapshot begins at this time, in milliseconds since 1970. */
  readonly nextAt: number
}

export interface FilledMirror {
  readonly mirror: Mirror
  readonly facts: MirrorFacts
  readonly reader: Reader
}

export function startUpkeep(
  filled: FilledMirror,
  config: MirrorUpkeepConfig,
  deps: MirrorUpkeepDeps,
): RunningUpkeep {
  const { mirror, facts, reader } = filled
  const { clock, random, telemetry } = deps
  const step = drainStepDeps(filled, config, deps)
  const planned = (nextAt: number) => {
    const isTold = mirror.set !== undefined || mirror.degradation?.kind === 'package'
    telemetry.planned(new Date(nextAt).toISOString(), isTold, facts.lastDrainFailedBecause)
  }
  const schedule = new DrainSchedule({
    clock,
    random,
    settledAt: () => mirror.settledAt,
    drain: (at, signal) => drainAndTake(at, step, signal),
    retried: planned,
  })
  const drains = new Upkeep(schedule, clock)
  const spotChecks = new SpotChecks({
    clock,
    random,
    mirror,
    liveAnswer: (question, signal) => reader.liveAnswer(question, signal),
    checked: (outcome) => telemetry.spotChecked(outcome),
  })
  const trustClockAt = clock.now() + silentMs
  const learnHead = new Upkeep(
    {
      async run(signal) {
        if (mirror.set === undefined) return
        await step.learnHead(mirror.set.migrationId, signal)
        if (!mirror.time.isTrusted && clock.now() >= trustClockAt) mirror.trustClock()
      },
      waitMs: () => (mirror.time.isTrusted ? Math.min(headMs, config.mirror.maxLagMs) : firstHeadMs),
    },
    clock,
  )
  const checks = new Upkeep(
    {
      run: (signal) => Promise.allSettled([guardPackage(step), spotChecks.check(signal)]),
      waitMs: () => config.mirror.spotCheckIntervalMs,
    },
    clock,
  )
  const pages = updatePolls(filled, config, deps)
  const polls = pages && new Upkeep(pages, deps.askClock)
  planned(schedule.nextAt)
  drains.start(0)
  learnHead.start(0)
  checks.start()
  polls?.start()
  return {
    get nextAt() {
      return schedule.nextAt
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([drains, learnHead, checks, polls].map((each) => each?.[Symbol.asyncDispose]()))
    },
  }
}

function updatePolls(
  { mirror, facts, reader }: FilledMirror,
  { mirror: { pollIntervalMs, maxBytesPerMinute } }: MirrorUpkeepConfig,
  { clock, askClock, discovery, judge, telemetry }: MirrorUpkeepDeps,
): UpdatePolls | undefined {
  const level = mirror.state
  if (level === undefined) return undefined
  return new UpdatePolls(
    { pollIntervalMs, maxBytesPerMinute },
    {
      clock: askClock,
      answerClock: clock,
      level,
      roster: () => discovery.roster,
      liveAnswer: (question, signal) => reader.liveAnswer(question, signal),
      itemsIn: (body) => judge.updates(body),
      isEnough: isEnoughForMirror,
      follow: (page) => mirror.follow(page),
      received: (bytes) => {
        facts.receivedBytes += bytes
        telemetry.received(bytes)
      },
    },
  )
}

function drainStepDeps(
  { mirror, facts, reader }: FilledMirror,
  config: MirrorUpkeepConfig,
  { clock, askClock, random, discovery, connections, judge, evidence, telemetry }: MirrorUpkeepDeps,
): DrainAndTakeDeps {
  // The time limits of a download follow real time. Otherwise it would end early when an operator
  // moves a localnet's time forward.
  const patient: Clock = {
    now: () => askClock.now(),
    after: (ms, run) => askClock.after(ms, run),
    wall: () => clock.wall(),
  }
  const { maxEntries, packages } = config.mirror
  const options = drainOptions(config)
  const { requestTimeoutMs } = config.scanClient
  const head = new LedgerHead({ connections, requestTimeoutMs })
  const drainDeps = {
    clock: patient,
    random,
    connections,
    judge,
    roster: () => discovery.roster,
  }
  return {
    mirror,
    maxEntries,
    packages,
    rules: () => agreedValue<AmuletRules>(reader, getAmuletRules),
    migrationId: () => agreedMigration(reader),
    async learnHead(migrationId, signal) {
      const { roster } = discovery
      if (roster === undefined) return
      const asked = momentOf(clock)
      const reached = await head.agreed(migrationId, roster, signal)
      if (reached !== undefined) mirror.learnHead(reached, asked, momentOf(clock))
    },
    drain: (wanted, signal) => drainByQuorum(wanted, options, drainDeps, signal),
    file: (found) => evidence.add(found),
    wall: () => clock.wall(),
    reconciled: (at, outcome) => {
      if (mirror.state === undefined) return
      facts.reconciled = { at: new Date(at).toISOString(), outcome }
      telemetry.reconciled(outcome)
    },
    ended(outcome, report, why) {
      facts.lastDrainFailedBecause = why
      telemetry.drained(outcome, { bytes: report?.bytes ?? 0, why })
    },
  }
}
