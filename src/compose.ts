import { Answers } from './cache/answers.ts'
import { LocalGenerations } from './cache/generations.local.ts'
import type { Generations } from './cache/generations.ts'
import { MemoryStore } from './cache/store.memory.ts'
import type { SyncStore } from './cache/store.ts'
import { Tiers } from './cache/tiers.ts'
import type { Config } from './config/resolve.ts'
import { type Clock, milliseconds, systemClock } from './lib/clock.ts'
import { type Random, systemRandom } from './lib/random.ts'
import { meets } from './quorum/electorate.ts'
import { reads } from './reads/table.ts'
import { Budgets } from './scan/budget.ts'
import { Connections } from './scan/connections.ts'
import { Discovery } from './scan/discovery.ts'
import { EvidenceLog } from './scan/evidence-log.ts'
import { Examiner, type ExaminerDeps } from './scan/examiner.ts'
import type { InquiryEvents, InquiryOptions } from './scan/inquiry.ts'
import { JudgeThread } from './scan/judge-thread.ts'
import { createUndiciScanNode } from './scan/node.undici.ts'
import { Reader, type ReaderOptions } from './scan/reader.ts'
import { Rechecks } from './scan/rechecks.ts'
import { operatorName, type Roster, type RosterVoter } from './scan/roster.ts'
import { Witness } from './scan/witness.ts'
import type { Events, RosterState, SuperValidatorEvents } from './telemetry/events.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Traces } from './telemetry/traces.ts'

/** The parts of the configuration that a read depends on. */
export type ReadPathOptions = Pick<Config, 'network' | 'scanClient' | 'cache' | 'evidence'>

export interface ReadPathDeps {
  readonly events: Events
  readonly metrics: Metrics
  /** What answers age by. */
  readonly clock?: Clock
  /** What asks are timed by, where the clock can be moved: `clock` where it is left out. */
  readonly askClock?: Clock
  readonly random?: Random
  /** Sets apart in one Redis what must not be shared. */
  readonly redisPrefix?: string
  /** None where it is left out. It stays its owner's. */
  readonly traces?: Traces | undefined
}

/** Trusted reads: everything between a question and what a quorum says, without any server. */
export interface ReadPath extends AsyncDisposable {
  readonly reader: Reader
  readonly examiner: Examiner
  readonly discovery: Discovery
  readonly connections: Connections
  readonly evidence: EvidenceLog
  readonly generations: Generations
  readonly memory: MemoryStore
  /** Whether as many voters as a threshold needs were reachable when last asked. */
  quorumReachable(): boolean
  /** Whether Redis answered when last asked; false without one. */
  redisUp(): boolean
  /** Tells telemetry who is reachable now. */
  tellReachability(): void
}

/** Wires the read path. Nothing is asked before `discovery.start()`. */
export async function composeReadPath(options: ReadPathOptions, deps: ReadPathDeps): Promise<ReadPath> {
  const { clock = systemClock, random = systemRandom, metrics } = deps
  const { askClock = clock } = deps
  let redisIsUp = false
  const events: Events = {
    ...deps.events,
    redisUp: (up, detail) => {
      redisIsUp = up
      deps.events.redisUp(up, detail)
    },
  }
  const { scanClient, cache } = options
  const inquiry = inquiryOptions(scanClient)
  const evidence = new EvidenceLog({
    maxBytes: options.evidence.maxBytes,
    added: ({ outcome }) => events.evidenceKept(outcome),
  })
  const handles = new Handles(events)

  const budgets = new Budgets(scanClient)
  const connections = new Connections(
    {
      probeIntervalMs: scanClient.probeIntervalMs,
      requestTimeoutMs: scanClient.requestTimeoutMs,
      pace: scanClient,
    },
    {
      clock: askClock,
      budgets,
      connect: (url, budget, pace) => {
        const { allowHttp, allowPrivate } = scanClient
        const options = { url, budget, pace, allowHttp, allowPrivate, proxy: scanClient }
        return createUndiciScanNode(options, { clock: askClock })
      },
      probed: (voter, response, seconds) => {
        handles.of(voter).asked(response.kind === 'fault' ? response.fault : 'value', seconds)
        tellReachability()
      },
    },
  )
  const judge = new JudgeThread({ clock: askClock })
  const discovery: Discovery = new Discovery(
    {
      seeds: scanClient.seedUrls,
      discover: scanClient.discover && scanClient.scanType !== 'trust-single',
      svNames: scanClient.svNames,
      dsoPartyId: scanClient.dsoPartyId,
      minimumVoters: scanClient.minimumVoters,
      refreshIntervalMs: scanClient.refreshIntervalMs,
      trust: {
        mode: scanClient.scanType,
        threshold: scanClient.threshold,
        thresholds: defined(scanClient.thresholds),
        operators: scanClient.operators,
      },
      inquiry,
      file:
        scanClient.rosterFile === undefined
          ? undefined
          : {
              path: scanClient.rosterFile,
              network: options.network,
              dso: scanClient.dsoPartyId,
              maxAgeMs: scanClient.rosterMaxAgeMs,
            },
    },
    {
      clock: askClock,
      random,
      connections,
      judge,
      evidence,
      events: {
        heard: (name, outcome, seconds) => events.scanAsked(name, outcome, seconds),
        seedAnswered: (seed, answer) => events.seedAnswered(seed, answer),
        refreshed: (outcome, why) => events.rosterRefreshed(outcome, why),
        taken: (roster, _source, ageMs, singleSeed) => {
          handles.clear()
          events.rosterTaken(stateOf(roster, connections, ageMs, singleSeed))
        },
      },
    },
  )

  const { generations, memory, store } = await openStores(cache, { ...deps, clock, random, events })
  const answers = new Answers({}, { store, generations, clock, events })

  const rechecks: Rechecks = new Rechecks(inquiry, {
    clock: askClock,
    random,
    connections,
    judge,
    pending: ({ names }, count) => events.dissentsPending(names[0] as string, count),
    agreedNow: (question, signal) => reader.agreedNow(question, signal),
    amongAll: (dissent, signal) => reader.amongAll(dissent, signal),
  })
  const witness = new Witness({
    clock: askClock,
    evidence,
    rechecks,
    voted: (voter, read, vote) => handles.of(voter).voted(read.id, vote),
    filed: (voter, read, as) => events.recheckFiled(voter.names[0] as string, read.id, as),
  })
  const asking: ExaminerDeps = {
    clock: askClock,
    random,
    connections,
    discovery,
    judge,
    witness,
    events: inquiryEvents(handles, events),
    settled: (read, outcome, seconds, rule) => events.readSettled(read.id, outcome, seconds, { rule }),
  }
  const { traces } = deps
  const reader: Reader = new Reader(readerOptions(inquiry, cache.times), { ...asking, answers, traces })
  const examiner = new Examiner(inquiry, asking)

  metrics.in_flight_asks.readFrom(() => budgets.inFlight)
  metrics.buffered_bytes.readFrom(() => budgets.reservedBytes)
  metrics.cache_bytes.with({ partition: 'values' }).readFrom(() => memory.bytes.values)
  metrics.cache_bytes.with({ partition: 'absences' }).readFrom(() => memory.bytes.absences)
  metrics.evidence_bytes.readFrom(() => evidence.bytes)

  const tellReachability = () => {
    const { roster } = discovery
    if (roster !== undefined) events.reachabilityChanged(reachabilityOf(roster, connections))
  }
  return {
    reader,
    examiner,
    discovery,
    connections,
    evidence,
    generations,
    memory,
    quorumReachable: () => {
      const { roster } = discovery
      return roster !== undefined && meets(roster.electorate(), reachableVoters(roster, connections))
    },
    redisUp: () => redisIsUp,
    tellReachability,
    async [Symbol.asyncDispose]() {
      rechecks[Symbol.dispose]()
      await discovery[Symbol.asyncDispose]()
      await answers[Symbol.asyncDispose]()
      reader[Symbol.dispose]()
      examiner[Symbol.dispose]()
      await judge[Symbol.asyncDispose]()
      await connections[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await generations[Symbol.asyncDispose]()
    },
  }
}

/** Each super validator's counters, at hand for as long as the roster stays. */
class Handles {
  readonly #events: Events
  readonly #known = new Map<string, SuperValidatorEvents>()

  constructor(events: Events) {
    this.#events = events
  }

  of({ names, place }: RosterVoter): SuperValidatorEvents {
    const name = names[0] as string
    let handle = this.#known.get(name)
    if (handle === undefined) {
      handle = this.#events.forSuperValidator(name, place?.host)
      this.#known.set(name, handle)
    }
    return handle
  }

  clear(): void {
    this.#known.clear()
  }
}

function inquiryOptions(scanClient: ReadPathOptions['scanClient']): InquiryOptions {
  const { fanout, requestTimeoutMs, deadlineMs, auditShare, maxResponseBytes, absentTexts } = scanClient
  return {
    fanout,
    requestTimeoutMs,
    deadlineMs,
    auditShare,
    maxResponseBytes,
    absentTexts: defined(absentTexts),
  }
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

interface Stores {
  readonly generations: Generations
  readonly memory: MemoryStore
  readonly store: SyncStore
}

type StoresDeps = Pick<ReadPathDeps, 'events' | 'redisPrefix'> &
  Required<Pick<ReadPathDeps, 'clock' | 'random'>>

/** Redis is loaded only where it is used. */
async function openStores(cache: ReadPathOptions['cache'], deps: StoresDeps): Promise<Stores> {
  const { clock, random, events, redisPrefix } = deps
  const { maxBytes, redis } = cache
  if (redis.url === undefined) {
    const generations = new LocalGenerations(clock)
    const memory = new MemoryStore({ maxBytes }, { generations })
    return { generations, memory, store: memory }
  }
  const [{ RedisGenerations }, { RedisStore }] = await Promise.all([
    import('./cache/generations.redis.ts'),
    import('./cache/store.redis.ts'),
  ])
  const shared = { url: redis.url, ...(redisPrefix !== undefined && { prefix: redisPrefix }) }
  const generations = new RedisGenerations(shared, { clock, random, events })
  const memory = new MemoryStore({ maxBytes }, { generations })
  const options = { ...shared, maxBytes, ...(redis.secret !== undefined && { secret: redis.secret }) }
  const far = new RedisStore(options, { clock, random, generations, events })
  return { generations, memory, store: new Tiers({ memory, clock, redis: far }) }
}

function inquiryEvents(handles: Handles, events: Events): InquiryEvents {
  return {
    heard: (voter, outcome, seconds, read) => handles.of(voter).asked(outcome, seconds, read.id),
    unknownRefusal: (voter, text, read) => events.unknownRefusal(read.id, voter.names[0] as string, text),
  }
}

function reachableVoters(roster: Roster, connections: Connections): number[] {
  return roster.voters.flatMap((voter, index) =>
    connections.of(voter)?.health.reachable === true ? [index] : [],
  )
}

function reachabilityOf(roster: Roster, connections: Connections) {
  const reachable = reachableVoters(roster, connections).map((index) => roster.voters[index] as RosterVoter)
  const { superValidators, operators } = roster.electorate()
  const counted = { superValidators: { threshold: superValidators.threshold, reachable: reachable.length } }
  if (operators === undefined) return counted
  const distinct = new Set(reachable.map(({ operator }) => operator)).size
  return { ...counted, operators: { threshold: operators.threshold, reachable: distinct } }
}

function stateOf(roster: Roster, connections: Connections, ageMs: number, singleSeed: boolean): RosterState {
  return {
    ...reachabilityOf(roster, connections),
    members: roster.voters.flatMap((voter) => {
      const said = { operator: operatorName(voter), ...(voter.place && { host: voter.place.host }) }
      return voter.names.map((name) => ({ name, ...said }))
    }),
    protected: roster.isProtected(),
    singleSeed,
    unmatchedOperators: roster.unmatchedOperators,
    ageMs,
  }
}

/** Without the members that are undefined. */
function defined<Value>(record: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const entries = Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}
