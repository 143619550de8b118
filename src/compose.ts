import { Answers } from './cache/answers.ts'
import type { CacheEvents } from './cache/events.ts'
import type { Invalidations } from './cache/invalidations.ts'
import { RedisHealth, type RedisState } from './cache/redis-health.ts'
import type { MemoryStore } from './cache/store.memory.ts'
import { type Asking, composeAsking, type Handles } from './compose-asking.ts'
import { type FloorResets, floorResets, openGuard, rollbackDeps } from './compose-guard.ts'
import type { ComposedMirror } from './compose-mirror.ts'
import { openStores, type Stores } from './compose-stores.ts'
import type { Config } from './config/resolve.ts'
import type { RollbackGuard } from './guard/rollback-guard.ts'
import { type Clock, milliseconds, systemClock } from './lib/clock.ts'
import { type Random, systemRandom } from './lib/random.ts'
import { reads } from './reads/table.ts'
import type { Connections } from './scan/connections.ts'
import type { Discovery } from './scan/discovery.ts'
import type { EvidenceLog } from './scan/evidence-log.ts'
import { Examiner, type ExaminerDeps } from './scan/examiner.ts'
import type { InquiryEvents, InquiryOptions } from './scan/inquiry.ts'
import type { JudgeThread } from './scan/judge-thread.ts'
import type { MirroredReads } from './scan/mirrored-reads.ts'
import { PageTokens } from './scan/page-tokens.ts'
import { Reader, type ReaderDeps, type ReaderOptions } from './scan/reader.ts'
import { Rechecks } from './scan/rechecks.ts'
import { Witness } from './scan/witness.ts'
import type { Events } from './telemetry/events.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Traces } from './telemetry/traces.ts'

export type ReadPathOptions = Pick<
  Config,
  'network' | 'scanClient' | 'cache' | 'evidence' | 'guard' | 'mirror'
>

export interface ReadPathDeps {
  readonly events: Events
  readonly metrics: Metrics
  /** The age of answers is computed by this clock. */
  readonly clock?: Clock
  /**
   * This clock times the requests to scans; `clock` by default. If `clock` can be moved, another
   * one must be given: otherwise requests would time out when `clock` moves.
   */
  readonly askClock?: Clock
  readonly random?: Random
  /** Daemons with different prefixes share nothing in one Redis. */
  readonly redisPrefix?: string
  /** The read path does not dispose of this object. */
  readonly traces?: Traces | undefined
  /** False by default, because a command that asks a few questions has no use for the mirror. */
  readonly keepsMirror?: boolean
  readonly keepsProvenance?: boolean
}

export interface ReadPathMirror
  extends Pick<ComposedMirror, 'status' | 'changes'>,
    Pick<MirroredReads, 'find'> {
  /** The owner must start discovery before. */
  start(): void
}

/** Everything between a question and the agreed answer, without a server. */
export interface ReadPath extends AsyncDisposable {
  readonly reader: Reader
  readonly examiner: Examiner
  readonly discovery: Discovery
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly invalidations: Invalidations
  readonly memory: MemoryStore
  readonly floors: FloorResets | undefined
  readonly mirror: ReadPathMirror | undefined
  /** Applies the options that can be reloaded (`docs/configuration.md`). */
  reload(options: Pick<ReadPathOptions, 'network' | 'scanClient' | 'evidence'>): void
  reloadProblems(options: Pick<ReadPathOptions, 'network' | 'scanClient' | 'evidence'>): readonly string[]
  /**
   * True if enough voters for the threshold were reachable when the daemon last asked each of them.
   */
  quorumReachable(): boolean
  /** Aborts all reads in progress. Their callers get this error. */
  cut(error: Error): void
  redis(): RedisState
  tellReachability(): void
}

/** No scan is asked before `discovery.start()`. A rejection leaves nothing open. */
export async function composeReadPath(options: ReadPathOptions, given: ReadPathDeps): Promise<ReadPath> {
  const { clock = systemClock, random = systemRandom, metrics, traces, redisPrefix } = given
  const { events, redis } = watchingRedis(given.events, clock)
  await using opened = new AsyncDisposableStack()
  const guard = await openGuard(options, { clock, random, events, metrics, redisPrefix })
  if (guard !== undefined) opened.use(guard)
  const stores = await openStores(options.cache, { clock, random, events, redisPrefix })
  opened.use(stores.invalidations)
  opened.use(stores.store)
  const asking = opened.use(composeAsking(options, { clock: given.askClock ?? clock, random, events }))
  const answers = new Answers({}, { store: stores.store, invalidations: stores.invalidations, clock, events })
  const mirror = await openMirror(options, { ...asking, ...stores }, { ...given, clock, random })
  const { keepsProvenance = false } = given
  const inquiry = { ...asking.inquiry, keepsProvenance }
  const reading = { random, events, answers, traces, guard, mirror: mirror?.reads }
  const { reader, examiner, rechecks } = composeReading(options, { ...asking, inquiry }, reading)
  showGauges(metrics, asking, stores.memory)
  const { discovery, connections, evidence, quorumReachable, tellReachability } = asking
  opened.use(examiner)
  opened.use(reader)
  opened.use(answers)
  opened.use(discovery)
  opened.use(rechecks)
  if (mirror !== undefined) opened.use(mirror)
  const held = opened.move()
  return {
    reader,
    examiner,
    discovery,
    connections,
    judge: asking.judge,
    evidence,
    invalidations: stores.invalidations,
    memory: stores.memory,
    floors: guard && floorResets(guard, discovery),
    mirror: mirror && {
      status: mirror.status,
      find: (question) => mirror.reads.find(question),
      changes: mirror.changes,
      start: () => mirror.start(reader),
    },
    reload: asking.reload,
    reloadProblems: asking.reloadProblems,
    cut: (error) => answers.abortAllLoads(error),
    quorumReachable,
    redis: () => redis.state,
    tellReachability,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

interface ReadingDeps {
  readonly random: Random
  readonly events: Events
  readonly answers: Answers
  readonly traces: Traces | undefined
  readonly guard: RollbackGuard | undefined
  readonly mirror: MirroredReads | undefined
}

function composeReading(
  { cache, evidence: { questions: keepsQuestions } }: ReadPathOptions,
  { inquiry, clock, connections, judge, handles, evidence, discovery }: Asking,
  { random, events, answers, traces, guard, mirror }: ReadingDeps,
) {
  const core = { clock, random, connections, judge, pages: new PageTokens(cache.redis.secret) }
  const rechecks: Rechecks = new Rechecks(inquiry, {
    ...core,
    pending: ({ names }, count) => events.dissentsPending(names[0] as string, count),
    agreedNow: (question, signal) => reader.agreedNow(question, signal),
    amongAll: (dissent, signal) => reader.amongAll(dissent, signal),
  })
  const witness = new Witness({
    clock,
    evidence,
    keepsQuestions,
    rechecks,
    voted: (voter, read, vote) => handles.of(voter).voted(read.id, vote),
    dissentResolved: (voter, read, as, agoMs) =>
      events.recheckFiled(voter.names[0] as string, read.id, as, agoMs),
  })
  const deps: ExaminerDeps = {
    ...core,
    discovery,
    witness,
    events: inquiryEvents(handles, events),
    settled: (read, outcome, seconds, detail) => events.readSettled(read.id, outcome, seconds, { ...detail }),
  }
  const rollback = guard && rollbackDeps(guard, events)
  const overloaded: ReaderDeps['overloaded'] = ({ id }, limit) => events.readRejected(id, limit)
  const reader: Reader = new Reader(readerOptions(inquiry, cache.times), {
    ...deps,
    overloaded,
    answers,
    traces,
    mirror,
    ...(rollback && { rollback }),
  })
  return { rechecks, reader, examiner: new Examiner(inquiry, deps) }
}

/** Wraps `events` to remember the state of Redis. */
function watchingRedis(events: Events, clock: Clock) {
  const redis = new RedisHealth(clock, (because) => events.redisRefuses(because))
  const watched: Pick<CacheEvents, 'redisUp' | 'redisFailed' | 'redisSucceeded'> = {
    redisUp(up, detail) {
      redis.connected(up, detail)
      events.redisUp(up, detail)
    },
    redisFailed(operation, refusal) {
      events.redisFailed(operation)
      if (refusal !== undefined) redis.refused(operation, refusal)
    },
    redisSucceeded: (operation) => redis.succeeded(operation),
  }
  return { events: { ...events, ...watched }, redis }
}

async function openMirror(
  options: ReadPathOptions,
  { inquiry, clock: askClock, discovery, connections, judge, evidence, invalidations }: Asking & Stores,
  {
    keepsMirror = false,
    clock,
    random,
    events,
    metrics,
  }: ReadPathDeps & Required<Pick<ReadPathDeps, 'clock' | 'random'>>,
): Promise<ComposedMirror | undefined> {
  if (!keepsMirror || options.mirror.level === 'off') return undefined
  const { composeMirror } = await import('./compose-mirror.ts')
  const { times } = readerOptions(inquiry, options.cache.times)
  const withholdsAbsence = (key: string) => invalidations.withholdsAbsence(key)
  const asking = { discovery, connections, judge, evidence, withholdsAbsence, askClock }
  return composeMirror(options, { ...asking, clock, random, metrics, telemetry: events.mirror, times })
}

function showGauges(metrics: Metrics, { budgets, evidence }: Asking, memory: MemoryStore): void {
  metrics.in_flight_asks.readFrom(() => budgets.inFlight)
  metrics.buffered_bytes.readFrom(() => budgets.reservedBytes)
  metrics.cache_bytes.with({ partition: 'values' }).readFrom(() => memory.bytes.values)
  metrics.cache_bytes.with({ partition: 'absences' }).readFrom(() => memory.bytes.absences)
  metrics.evidence_bytes.readFrom(() => evidence.bytes)
}

function readerOptions(
  inquiry: InquiryOptions,
  configured: ReadPathOptions['cache']['times'],
): ReaderOptions {
  const times = Object.values(reads).map(({ id, cache }) => {
    const own = (
      configured as Partial<Record<string, { freshMs?: number; staleMs?: number; absentMs?: number }>>
    )[id]
    const absentMs = own?.absentMs ?? milliseconds(cache.absent)
    const value = {
      freshMs: own?.freshMs ?? milliseconds(cache.fresh),
      staleMs: own?.staleMs ?? milliseconds(cache.stale),
    }
    return [id, { value, absence: { freshMs: absentMs, staleMs: absentMs } }] as const
  })
  return { inquiry, times: Object.fromEntries(times) }
}

function inquiryEvents(handles: Handles, events: Events): InquiryEvents {
  return {
    heard: (voter, outcome, seconds) => handles.of(voter).asked(outcome, seconds),
    unknownRefusal: (voter, text, read) => events.unknownRefusal(read.id, voter.names[0] as string, text),
  }
}
