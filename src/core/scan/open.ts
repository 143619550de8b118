import type { Config } from '../../base/config/resolve.ts'
import { type Clock, systemClock } from '../../base/lib/clock.ts'
import { systemRandom } from '../../base/lib/random.ts'
import { version } from '../../base/lib/version.ts'
import { createEvents, type Events } from '../../base/telemetry/events.ts'
import type { Logger } from '../../base/telemetry/logger.ts'
import { createMetrics } from '../../base/telemetry/metrics.ts'
import type { Base } from '../../base/telemetry/open.ts'
import { Answers } from '../cache/answers.ts'
import { topic } from '../cache/key.ts'
import { openStores } from '../cache/open.ts'
import { openGuard } from '../guard/open.ts'
import { readIds } from '../reads/endpoints.ts'
import { Connections } from './connections.ts'
import { Witness } from './disagreement.ts'
import { Discovery } from './discovery.ts'
import { EvidenceLog } from './evidence-log.ts'
import { Budgets } from './in-flight-budget.ts'
import { Inquiries } from './inquiry.ts'
import { JudgeThread } from './judge-thread.ts'
import { type ForgottenName, topicsOfNames } from './name-topics.ts'
import { createUndiciScanNode } from './node.undici.ts'
import { PageTokens } from './page-tokens.ts'
import { lifetimesOf, Reader } from './reader.ts'
import { AskingAgain, Rechecks } from './rechecks.ts'
import { floorResets } from './rollback-check.ts'

export type ReadPathOptions = Pick<Config, 'network' | 'scanClient' | 'cache' | 'evidence' | 'guard'>

type OptionalBase = Partial<Pick<Base, 'clock' | 'realClock' | 'random' | 'traces'>>

/** Without clocks, the one of the machine is used. */
export interface ReadPathDeps extends Pick<Base, 'events' | 'metrics'>, OptionalBase {
  /** Daemons with different prefixes share nothing in one Redis. */
  readonly redisPrefix?: string | undefined
  readonly keepsProvenance?: boolean
}

/** Everything between a question and the agreed answer, without a server. */
export type ReadPath = Awaited<ReturnType<typeof openReadPath>>

/** No scan is asked before `discovery.start()`. A rejection leaves nothing open. */
export async function openReadPath(options: ReadPathOptions, given: ReadPathDeps) {
  const { clock = systemClock, realClock = clock, random = systemRandom, traces } = given
  const { events } = given
  const base = { ...given, clock, random }
  await using opened = new AsyncDisposableStack()
  const guard = opened.use(await openGuard(options, base))
  const stores = await openStores(options.cache, base)
  opened.use(stores.invalidations)
  opened.use(stores.store)
  const scans = openScans(options, { ...base, clock: realClock })
  const { connections, judge, evidence, discovery } = scans
  opened.use(connections)
  opened.use(judge)

  // What asks super validators uses the machine's own clock, which nobody moves.
  const asking = { clock: realClock, events }
  const pages = new PageTokens(options.cache.redis.secret)
  const inquiryOptions = { ...options.scanClient, keepsProvenance: given.keepsProvenance ?? false }
  const inquiryDeps = { ...asking, random, connections, judge, pages }
  const unrecorded = opened.use(new Inquiries(inquiryOptions, inquiryDeps))
  const again = new AskingAgain({ inquiries: unrecorded, discovery })
  const rechecks = new Rechecks(inquiryOptions, { ...asking, random, connections, judge, again })
  const witness = new Witness({ ...asking, evidence, rechecks, keepsQuestions: options.evidence.questions })
  const inquiries = opened.use(new Inquiries(inquiryOptions, { ...inquiryDeps, witness }))
  const lifetimes = lifetimesOf(options.cache.times)
  const answers = new Answers({}, { ...stores, clock, events })
  const { invalidations } = stores
  const reader = new Reader(
    { times: lifetimes },
    { ...asking, discovery, inquiries, pages, answers, invalidations, witness, guard, traces },
  )
  opened.use(answers)
  opened.use(discovery)
  opened.use(rechecks)
  const held = opened.move()
  return {
    ...scans,
    ...stores,
    reader,
    /** An `Examiner` needs these to ask super validators without the mirror and the caches. */
    inquiring: { ...asking, discovery, inquiries, pages },
    lifetimes,
    floors: guard && floorResets(guard, discovery),
    /** Forgets the evidence, and all cached answers, which liars may have given. */
    forgetVotes() {
      rechecks.forget()
      evidence.clear()
      invalidations.invalidate(readIds.map((id) => topic(id)))
    },
    /** Drops what this daemon, and those with the same Redis, cached of these names. */
    forgetNames: (names: readonly ForgottenName[]) => invalidations.invalidate(topicsOfNames(names)),
    /** Aborts all reads in progress. Their callers get this error. */
    cut: (error: Error) => answers.abortAllLoads(error),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Opens what asks super validators. The owner disposes of it. */
function openScans(
  { scanClient, network, evidence: { maxBytes } }: ReadPathOptions,
  { clock, random, events, metrics }: Pick<Base, 'clock' | 'random' | 'events' | 'metrics'>,
) {
  const budgets = new Budgets(scanClient)
  const connections = new Connections(scanClient, {
    clock,
    events,
    budgets,
    connect: (url, budget, rateLimit) =>
      createUndiciScanNode({ ...scanClient, url, budget, rateLimit, proxy: scanClient }, { clock }),
  })
  const judge = new JudgeThread({ clock: systemClock, failed: (why) => events.threadFailed('judge', why) })
  const evidence = new EvidenceLog({ maxBytes, added: ({ outcome }) => events.evidenceKept(outcome) })
  const deps = { clock, random, events, connections, judge, evidence }
  const discovery = new Discovery({ network, scanClient }, deps)
  metrics.in_flight_asks.readFrom(() => budgets.inFlight)
  metrics.buffered_bytes.readFrom(() => budgets.reservedBytes)
  metrics.evidence_bytes.readFrom(() => evidence.bytes)
  return { budgets, connections, judge, evidence, discovery }
}

export interface AloneDeps {
  readonly logger: Logger
  readonly clock: Clock
  /** These handlers run in place of those that write to the log and the metrics. */
  readonly events?: Partial<Events>
}

/**
 * Opens a read path for a program without a daemon. Resolves when the first attempt to learn the
 * super validators has ended, successfully or not. A rejection leaves nothing open.
 */
export async function openReadPathAlone(options: ReadPathOptions, deps: AloneDeps): Promise<ReadPath> {
  const { logger, clock } = deps
  const metrics = createMetrics({ version, reads: readIds })
  const events = { ...createEvents({ metrics, logger, clock }), ...deps.events }
  await using opening = new AsyncDisposableStack()
  opening.defer(() => events.close())
  const path = opening.use(await openReadPath(options, { events, metrics, clock }))
  await path.discovery.start()
  const opened = opening.move()
  return { ...path, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
