import type { Config } from './config/resolve.ts'
import { type Clock, momentOf } from './lib/clock.ts'
import type { Random } from './lib/random.ts'
import { type DrainOutcome, drainAgreed } from './mirror/agreed-drain.ts'
import { sentenceOf } from './mirror/degradation.ts'
import { type DrainStepDeps, drainStep, guardPackage } from './mirror/drain-step.ts'
import { gridAt, gridMs } from './mirror/grid.ts'
import { agreedHead } from './mirror/ledger-head.ts'
import { Mirror, type MirrorEvents } from './mirror/mirror.ts'
import { type MirrorStatus, mirrorStatus } from './mirror/mirror-status.ts'
import { DrainSchedule } from './mirror/schedule.ts'
import { SpotChecks } from './mirror/spot-checks.ts'
import { MemoryMirrorStore } from './mirror/store.memory.ts'
import type { MirrorStore } from './mirror/store.ts'
import { Upkeep } from './mirror/upkeep.ts'
import { type AmuletRules, getAmuletRules } from './reads/dso.ts'
import type { Question, Read } from './reads/read.ts'
import { getMigrationId } from './reads/rounds.ts'
import type { Connections } from './scan/connections.ts'
import type { Discovery } from './scan/discovery.ts'
import type { EvidenceLog } from './scan/evidence-log.ts'
import type { MirroredReads } from './scan/mirrored-reads.ts'
import type { Reader } from './scan/reader.ts'
import type { Roster } from './scan/roster.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { MirrorTelemetry } from './telemetry/mirror-events.ts'

export type MirrorConfig = Pick<Config, 'network' | 'mirror' | 'scanClient' | 'evidence'>

export interface ComposeMirrorDeps {
  /** Determines the age of answers and when snapshots are due. */
  readonly clock: Clock
  /** Times the requests to scans, if `clock` can be moved. */
  readonly askClock: Clock
  readonly random: Random
  readonly telemetry: MirrorTelemetry
  readonly metrics: Metrics
  readonly discovery: Pick<Discovery, 'roster'>
  readonly connections: Connections
  readonly evidence: EvidenceLog
  /** How long callers may cache a name. */
  readonly lifetime: { readonly freshMs: number; readonly staleMs: number }
}

/** The mirror of names, with what keeps it up to date. */
export interface ComposedMirror extends AsyncDisposable {
  readonly reads: MirroredReads
  readonly status: () => MirrorStatus
  /** Begins to drain snapshots and to check names, as soon as the reader can ask. */
  start(reader: Reader): void
}

/** The longest body of a page of a thousand contracts. */
const maxPageBytes = 33_554_432
const pageTimeoutMs = 60_000
const lateMs = 120_000
/** The longest time of a drain that somebody waits for. */
const trialMs = 900_000

/** Opens the mirror with what its store has kept. It asks no scan before `start`. */
export async function composeMirror(config: MirrorConfig, deps: ComposeMirrorDeps): Promise<ComposedMirror> {
  const { clock, discovery, evidence, telemetry, metrics } = deps
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore(config))
  const { maxEntries } = config.mirror
  const options = { maxEntries, lifetime: deps.lifetime, keepsQuestions: config.evidence.questions }
  const mirror = new Mirror(options, {
    clock,
    store,
    roster: () => discovery.roster,
    file: (found) => evidence.add(found),
    events: mirrorEvents(telemetry),
  })
  await mirror.load()
  metrics.mirror_as_of_timestamp_seconds.readFrom(() => mirror.set && mirror.set.at / 1000)
  metrics.mirror_entries.readFrom(() => (mirror.degradation === undefined ? (mirror.names?.size ?? 0) : 0))
  const running = opened.use(new AsyncDisposableStack())
  let nextAt = () => clock.wall()
  const held = opened.move()
  return {
    reads: mirror,
    status: () => mirrorStatus(mirror, nextAt(), momentOf(clock)),
    start(reader) {
      const schedule = running.use(startUpkeep(mirror, reader, config, deps))
      nextAt = () => schedule.nextAt
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

interface Running extends AsyncDisposable {
  readonly nextAt: number
}

function startUpkeep(mirror: Mirror, reader: Reader, config: MirrorConfig, deps: ComposeMirrorDeps): Running {
  const { clock, random, discovery, telemetry } = deps
  const step = drainStepDeps(mirror, reader, config, deps)
  const schedule = new DrainSchedule({
    clock,
    random,
    settledAt: () => mirror.settledAt,
    drain: (at, signal) => drainStep(at, step, signal),
  })
  const spotChecks = new SpotChecks({
    clock,
    random,
    mirror,
    liveAnswer: (question, signal) => reader.liveAnswer(question, signal),
    checked: (outcome) => telemetry.spotChecked(outcome),
  })
  const head = { connections: deps.connections, requestTimeoutMs: config.scanClient.requestTimeoutMs }
  const upkeep = new Upkeep(config.mirror.spotCheckIntervalMs, {
    clock,
    async learnTime(signal) {
      const { roster } = discovery
      if (roster === undefined || mirror.set === undefined) return
      const now = clock.now()
      const reached = await agreedHead(mirror.set.migrationId, roster, head, signal)
      if (reached !== undefined) mirror.time.learn(reached, now)
    },
    async checkRules() {
      await guardPackage(step)
    },
    checkName: (signal) => spotChecks.check(signal),
  })
  schedule.start()
  upkeep.start()
  return {
    get nextAt() {
      return schedule.nextAt
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([schedule[Symbol.asyncDispose](), upkeep[Symbol.asyncDispose]()])
    },
  }
}

function drainStepDeps(
  mirror: Mirror,
  reader: Reader,
  config: MirrorConfig,
  { clock, askClock, random, discovery, connections, evidence, telemetry }: ComposeMirrorDeps,
): DrainStepDeps {
  // A localnet whose time is moved must not cut a drain short.
  const patient: Clock = {
    now: () => askClock.now(),
    after: (ms, run) => askClock.after(ms, run),
    wall: () => clock.wall(),
  }
  const { maxEntries } = config.mirror
  const options = drainOptions(config)
  const drainDeps = { clock: patient, random, connections, roster: () => discovery.roster }
  return {
    mirror,
    maxEntries,
    rules: () => agreedValue<AmuletRules>(reader, getAmuletRules),
    migrationId: () => agreedMigration(reader),
    drain: (wanted, signal) => drainAgreed(wanted, options, drainDeps, signal),
    file: (found) => evidence.add(found),
    ended: (outcome, report, why) => telemetry.drained(outcome, { bytes: report?.bytes ?? 0, why }),
  }
}

export interface TrialDrainDeps extends Pick<ComposeMirrorDeps, 'clock' | 'random' | 'connections'> {
  readonly roster: Roster
  readonly reader: Reader
}

/** The grid instant of a snapshot, and what its drain came to. */
export interface TrialDrain {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly outcome: DrainOutcome
}

/**
 * Drains the latest snapshot from every super validator, and keeps nothing of it. The ledger's time decides which snapshot
 * is the latest if this machine's clock is behind.
 * @throws SpliceError if the super validators do not agree on the migration.
 */
export async function drainOnTrial(
  config: Pick<Config, 'mirror' | 'scanClient'>,
  { clock, random, connections, roster, reader }: TrialDrainDeps,
  signal: AbortSignal,
): Promise<TrialDrain> {
  const migrationId = await agreedMigration(reader)
  const { requestTimeoutMs } = config.scanClient
  const head = await agreedHead(migrationId, roster, { connections, requestTimeoutMs }, signal)
  const at = gridAt(Math.max(clock.wall(), head ?? 0))
  const options = { ...drainOptions(config), deadlineMs: trialMs, fanout: 'all', patient: true } as const
  const deps = { clock, random, connections, roster: () => roster }
  return { at, outcome: await drainAgreed({ at, migrationId }, options, deps, signal) }
}

function drainOptions({ mirror: { maxEntries }, scanClient }: Pick<Config, 'mirror' | 'scanClient'>) {
  return {
    fanout: scanClient.fanout,
    maxEntries,
    requestTimeoutMs: Math.max(pageTimeoutMs, scanClient.requestTimeoutMs),
    maxPageBytes: Math.min(maxPageBytes, scanClient.maxResponseBytes),
    deadlineMs: gridMs,
    lateMs,
  }
}

async function agreedMigration(reader: Reader): Promise<number> {
  return (await agreedValue<{ readonly migration_id: number }>(reader, getMigrationId)).migration_id
}

async function agreedValue<Value>(reader: Reader, read: Read): Promise<Value> {
  const question: Question = { read, params: {} }
  const { answer } = await reader.answer(question)
  if (answer.kind !== 'value') throw new Error(`the super validators agree that there is no ${read.id}`)
  return JSON.parse(answer.body.toString()) as Value
}

/** Imports SQLite only if there is a file. */
async function openStore({ mirror: { file }, network, scanClient }: MirrorConfig): Promise<MirrorStore> {
  if (file === undefined) return new MemoryMirrorStore()
  const { openSqliteMirrorStore } = await import('./mirror/store.sqlite.ts')
  return openSqliteMirrorStore({ file, network, dso: scanClient.dsoPartyId })
}

function mirrorEvents(telemetry: MirrorTelemetry): MirrorEvents {
  return {
    answered: telemetry.answered,
    taken: ({ at, digest, agreement, entries }, generation) =>
      telemetry.taken({
        asOf: new Date(at).toISOString(),
        entries: entries.length,
        digest,
        agreed: agreement.agreed,
        generation,
      }),
    degraded: (why) => telemetry.degraded(sentenceOf(why)),
    restored: telemetry.restored,
    withdrawn: telemetry.withdrawn,
    storeFailed: telemetry.storeFailed,
  }
}
