import type { Config } from './config/resolve.ts'
import { type Clock, momentOf } from './lib/clock.ts'
import type { Random } from './lib/random.ts'
import { type DrainDeps, type DrainOutcome, drainAgreed } from './mirror/agreed-drain.ts'
import type { AgreedSet } from './mirror/agreed-set.ts'
import { ChangeFeed } from './mirror/change-feed.ts'
import { ChangeStreams } from './mirror/change-streams.ts'
import { sentenceOf } from './mirror/degradation.ts'
import { type DrainStepDeps, drainStep, guardPackage } from './mirror/drain-step.ts'
import { gridAt, gridMs } from './mirror/grid.ts'
import { agreedHead } from './mirror/ledger-head.ts'
import { Mirror, type MirrorEvents } from './mirror/mirror.ts'
import { type MirrorStatus, mirrorStatus } from './mirror/mirror-status.ts'
import { DrainSchedule } from './mirror/schedule.ts'
import { SpotChecks } from './mirror/spot-checks.ts'
import { StateLevel, type StateLevelOptions, stateSentence } from './mirror/state-level.ts'
import { isEnoughForMirror } from './mirror/still-agreed.ts'
import { MemoryMirrorStore } from './mirror/store.memory.ts'
import type { MirrorStore } from './mirror/store.ts'
import { UpdatePolls } from './mirror/update-polls.ts'
import { Upkeep } from './mirror/upkeep.ts'
import { lookupAnsEntryByName } from './reads/ans.ts'
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
  /** The clock by which the age of answers is computed, and by which snapshots become due. */
  readonly clock: Clock
  /** The clock that times the requests to scans. `clock` may be moved, this one is not. */
  readonly askClock: Clock
  readonly random: Random
  readonly telemetry: MirrorTelemetry
  readonly metrics: Metrics
  readonly discovery: Pick<Discovery, 'roster'>
  readonly connections: Connections
  readonly evidence: EvidenceLog
  /**
   * Whether the mirror must not answer with an absence under this cache key, because a name has just changed.
   */
  readonly withholdsAbsence: (key: string) => boolean
  /** The cache times of values and absences, by read id. */
  readonly times: StateLevelOptions['times']
  /** Hears what scans gave of each snapshot. */
  readonly observer?: { readonly drained: NonNullable<DrainDeps['drained']> } | undefined
}

/** The mirror of names, with everything that keeps it up to date. */
export interface ComposedMirror extends AsyncDisposable {
  readonly reads: MirroredReads
  readonly status: () => MirrorStatus
  /** Returns the set of names from which answers are given now. */
  readonly set: () => AgreedSet | undefined
  /** The feed of changes; undefined at level `bindings`. */
  readonly changes: ChangeStreams | undefined
  /** Begins to drain snapshots and to check names. It must be called when the reader can ask scans. */
  start(reader: Reader): void
}

/** The maximum bytes of a page of a snapshot, which has up to a thousand contracts. */
const maxPageBytes = 33_554_432
const pageTimeoutMs = 60_000
const lateMs = 120_000
/** The most milliseconds of a drain on trial, because an operator waits for it. */
const trialMs = 900_000

/** Opens the mirror with the content of its store. No scan is asked before `start`. */
export async function composeMirror(config: MirrorConfig, deps: ComposeMirrorDeps): Promise<ComposedMirror> {
  const { clock, discovery, evidence, telemetry, metrics } = deps
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore(config))
  const { maxEntries } = config.mirror
  const lifetime = deps.times[lookupAnsEntryByName.id]?.value
  if (lifetime === undefined) throw new Error('names have no cache times')
  const options = { maxEntries, lifetime, keepsQuestions: config.evidence.questions }
  const feed = new ChangeFeed()
  const changes = opened.use(
    new ChangeStreams({ clock: deps.askClock, feed, paused: () => status().degradedBecause ?? undefined }),
  )
  const state = stateLevel(config, deps, { feed, changes })
  const mirror = new Mirror(options, {
    clock,
    store,
    roster: () => discovery.roster,
    file: (found) => evidence.add(found),
    events: { ...mirrorEvents(telemetry, { feed, changes }), ...storeEvents(config, telemetry) },
    state,
  })
  opened.use(mirror)
  await mirror.load()
  metrics.mirror_as_of_timestamp_seconds.readFrom(() => servedAt(mirror))
  metrics.mirror_entries.readFrom(() => (servedAt(mirror) === undefined ? 0 : mirror.size))
  const running = opened.use(new AsyncDisposableStack())
  const stream: StreamFacts = { receivedBytes: 0, reconciled: null }
  let nextAt = () => clock.wall()
  const status = () => mirrorStatus(mirror, { ...stream, nextAt: nextAt() }, momentOf(clock))
  const held = opened.move()
  return {
    reads: mirror,
    status,
    set: () => (mirror.degradation === undefined ? mirror.set : undefined),
    changes: state && changes,
    start(reader) {
      const schedule = running.use(startUpkeep({ mirror, stream, reader }, config, deps))
      nextAt = () => schedule.nextAt
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

type StoreEvents = Pick<MirrorEvents, 'storeFailed' | 'storeWorks'>

interface StreamFacts {
  receivedBytes: number
  reconciled: MirrorStatus['reconciled']
}

interface Running extends AsyncDisposable {
  readonly nextAt: number
}

/** The mirror, the facts about the updates that it follows, and the reader with which it asks scans. */
interface Filled {
  readonly mirror: Mirror
  readonly stream: StreamFacts
  readonly reader: Reader
}

function startUpkeep(filled: Filled, config: MirrorConfig, deps: ComposeMirrorDeps): Running {
  const { mirror, reader } = filled
  const { clock, random, discovery, telemetry } = deps
  const step = drainStepDeps(filled, config, deps)
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
  const polls = updatePolls(filled, config, deps)
  schedule.start()
  upkeep.start()
  polls?.start()
  return {
    get nextAt() {
      return schedule.nextAt
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([schedule, upkeep, polls].map((each) => each?.[Symbol.asyncDispose]()))
    },
  }
}

function updatePolls(
  { mirror, stream, reader }: Filled,
  { mirror: { pollIntervalMs, maxBytesPerMinute } }: MirrorConfig,
  { clock, askClock, discovery, telemetry }: ComposeMirrorDeps,
): UpdatePolls | undefined {
  const level = mirror.state
  if (level === undefined) return undefined
  return new UpdatePolls(
    { pollIntervalMs, maxBytesPerMinute },
    {
      clock: askClock,
      now: () => clock.now(),
      level,
      roster: () => discovery.roster,
      liveAnswer: (question, signal) => reader.liveAnswer(question, signal),
      isEnough: isEnoughForMirror,
      follow: (page) => mirror.follow(page),
      received: (bytes) => {
        stream.receivedBytes += bytes
        telemetry.received(bytes)
      },
    },
  )
}

function drainStepDeps(
  { mirror, stream, reader }: Filled,
  config: MirrorConfig,
  { clock, askClock, random, discovery, connections, evidence, telemetry, observer }: ComposeMirrorDeps,
): DrainStepDeps {
  // A localnet whose time is moved must not cut a drain short.
  const patient: Clock = {
    now: () => askClock.now(),
    after: (ms, run) => askClock.after(ms, run),
    wall: () => clock.wall(),
  }
  const { maxEntries } = config.mirror
  const options = drainOptions(config)
  const drainDeps = {
    clock: patient,
    random,
    connections,
    roster: () => discovery.roster,
    drained: observer?.drained,
  }
  return {
    mirror,
    maxEntries,
    rules: () => agreedValue<AmuletRules>(reader, getAmuletRules),
    migrationId: () => agreedMigration(reader),
    drain: (wanted, signal) => drainAgreed(wanted, options, drainDeps, signal),
    file: (found) => evidence.add(found),
    wall: () => clock.wall(),
    reconciled: (at, outcome) => {
      if (mirror.state === undefined) return
      stream.reconciled = { at: new Date(at).toISOString(), outcome }
      telemetry.reconciled(outcome)
    },
    ended: (outcome, report, why) => telemetry.drained(outcome, { bytes: report?.bytes ?? 0, why }),
  }
}

export interface TrialDrainDeps extends Pick<ComposeMirrorDeps, 'clock' | 'random' | 'connections'> {
  readonly roster: Roster
  readonly reader: Reader
}

/** The time of a snapshot, and the outcome of draining it. */
export interface TrialDrain {
  /** The time of the snapshot, in milliseconds since 1970. It is an instant of the grid. */
  readonly at: number
  readonly outcome: DrainOutcome
}

/**
 * Drains the latest snapshot from every super validator, and stores nothing of it. The ledger's time decides
 * which snapshot is the latest if this machine's clock is behind.
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

/** The feed of changes, and the streams on which callers follow it. */
interface FedReaders {
  readonly feed: ChangeFeed
  readonly changes: ChangeStreams
}

/** Makes the part of the mirror that answers with the state of the ledger. Undefined at level `bindings`. */
function stateLevel(
  { mirror: { level, maxLagMs } }: MirrorConfig,
  { clock, discovery, times, telemetry, withholdsAbsence }: ComposeMirrorDeps,
  { feed, changes }: FedReaders,
): StateLevel | undefined {
  if (level !== 'stream') return undefined
  const { followed, unfollowed } = telemetry
  return new StateLevel(
    { maxLagMs, times },
    {
      clock,
      roster: () => discovery.roster,
      feed,
      withholdsAbsence,
      followed,
      unfollowed: (why) => {
        unfollowed(stateSentence(why))
        changes.interrupt(stateSentence(why))
      },
    },
  )
}

/**
 * Returns the record time of the answers that the mirror serves, in seconds since 1970; undefined while it
 * serves nothing.
 */
function servedAt({ degradation, asOf }: Mirror): number | undefined {
  return degradation === undefined && asOf !== undefined ? asOf / 1000 : undefined
}

/** Opens the store of the mirror. It imports SQLite only if a file is configured. */
async function openStore({ mirror: { file }, network, scanClient }: MirrorConfig): Promise<MirrorStore> {
  if (file === undefined) return new MemoryMirrorStore()
  const { openSqliteMirrorStore } = await import('./mirror/store.sqlite.ts')
  return openSqliteMirrorStore({ file, network, dso: scanClient.dsoPartyId })
}

/** A mirror in memory has no file to report about. */
function storeEvents({ mirror: { file } }: MirrorConfig, telemetry: MirrorTelemetry): StoreEvents {
  return {
    storeFailed: (error) => telemetry.storeFailed(error instanceof Error ? error.message : String(error)),
    storeWorks: file === undefined ? () => {} : telemetry.storeWorks,
  }
}

function mirrorEvents(
  telemetry: MirrorTelemetry,
  { feed, changes }: FedReaders,
): Omit<MirrorEvents, keyof StoreEvents> {
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
    degraded: (why) => {
      telemetry.degraded(sentenceOf(why))
      if (why.kind === 'unreconciled') feed.forget()
      changes.interrupt(sentenceOf(why))
    },
    restored: telemetry.restored,
    withdrawn: telemetry.withdrawn,
  }
}
