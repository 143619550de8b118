import type { Agreement } from './cache/agreement.ts'
import type { AgreedAbsence, AgreedValue, Answered, MirroredAsOf } from './client/answered.ts'
import { fromServed } from './client/from-served.ts'
import { type CallOptions, methodsOver, printedAs, type ReadMethods } from './client/methods.ts'
import { wantedNotBefore } from './client/not-before.ts'
import { hasMethods, kindOf, type OptionRules, problemOf, problemOfCall } from './client/options.ts'
import { checkedQuestion, isReadId, readIds } from './client/question.ts'
import { openReadPath } from './compose-alone.ts'
import { parseConfig } from './config/parse.ts'
import type { Written } from './config/schema.ts'
import { type QuorumReached, SpliceError, type SpliceErrorCode } from './errors/splice.ts'
import { BadOptions } from './lib/bad-options.ts'
import type { Json } from './lib/canonical-json.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { KeepAlive } from './lib/keep-alive.ts'
import { type Arguments, paramsOf, type Value } from './reads/arguments.ts'
import type { Read } from './reads/read.ts'
import { type ReadId, reads } from './reads/table.ts'
import { type Fields, type Logger, silentLogger } from './telemetry/logger.ts'
import { nodeProblem } from './version.ts'

export {
  type AgreedAbsence,
  type AgreedValue,
  type Agreement,
  type Answered,
  type Arguments,
  BadOptions,
  type CallOptions,
  type Clock,
  type Fields,
  isReadId,
  type Json,
  type Logger,
  type MirroredAsOf,
  type QuorumReached,
  type ReadId,
  type ReadMethods,
  readIds,
  SpliceError,
  type SpliceErrorCode,
  type Value,
}

/**
 * The options of the library: which super validators to ask, and how many must agree. They are the sections
 * `scanClient`, `cache` and `evidence` of the configuration. Their content is written and checked as in a
 * configuration file (`docs/configuration.md`). The library reads no file and no environment variable.
 */
export interface BftScanOptions extends Pick<Written, 'scanClient' | 'cache' | 'evidence'> {
  /**
   * The kind of network; `remote` by default. `localnet` permits plain http, private addresses and a single
   * voter.
   */
  readonly network?: 'localnet' | 'remote' | undefined
}

export interface BftScanDeps {
  /** Receives the lines that a daemon would write to its log. If absent, nothing is logged. */
  readonly logger?: Logger | undefined
  /** The clock by which the library computes the age of answers and times its requests to scans. */
  readonly clock?: Clock | undefined
}

/** The super validators that vote, and how many of them must agree. */
export interface RosterNow {
  /** The names of all super validators in the roster, reachable or not. */
  readonly superValidators: readonly string[]
  /**
   * The party id of their DSO. Empty if `scanClient.discover` is off and `scanClient.dsoPartyId` is not set.
   */
  readonly dso: string
  /** The number of super validators that must agree. A read can have a threshold of its own. */
  readonly threshold: number
  /** True if f faulty super validators together cannot make up an answer (quorum.md#loud-when-unprotected). */
  readonly protected: boolean
  /**
   * Whether only one seed confirmed this roster first, so that a single faulty seed could have made it up.
   */
  readonly singleSeed: boolean
  /** Milliseconds since a quorum last confirmed this roster. */
  readonly ageMs: number
}

/**
 * Reads that are answered in this process, without a server: a method for each read. All methods share one
 * cache, one set of connections and one roster, which is kept up to date. Disposing the object closes all of
 * them.
 */
export interface BftScan extends ReadMethods, AsyncDisposable {
  /**
   * The current roster. Undefined until enough seeds have agreed on one; until then, reads reject with
   * `noRosterYet`.
   */
  readonly roster: RosterNow | undefined
}

/**
 * Asks the seeds who the super validators are. Resolves when they agreed, or when the first attempt failed; further
 * attempts follow automatically.
 *
 *     await using scan = await createBftScan({ scanClient: { seedUrls: ['https://scan.sv-1.example.org', ...] } })
 *     const { value, agreement } = await scan.lookupAnsEntryByName({ name: 'alice.unverified.cns' })
 *
 * Methods resolve with the agreed answer, which may be an agreed "there is none". They reject with `SpliceError`: a bad
 * question (400), `notEnoughScans`, `scansHeldBack`, `noConsensus` or `behind` (502), `noRosterYet`, `tooManyReads`,
 * `notEncoded` or `disposed` (503). They reject with the signal's reason if it aborts, and with `BadOptions` if an option of the call is
 * wrong. A read in progress keeps the process alive; an idle library does not.
 *
 * @throws BadOptions with every problem at once; Error on a Node that is too old.
 */
export async function createBftScan(options: BftScanOptions, deps: BftScanDeps = {}): Promise<BftScan> {
  const tooOld = nodeProblem(process.versions.node)
  if (tooOld !== undefined) throw new Error(`bft-scan-proxy: ${tooOld}`)
  const misplaced = [...misplacedOptions(options), ...misplacedDeps(deps)]
  if (misplaced.length > 0) throw new BadOptions(misplaced)
  const parsed = parseConfig({ ...options, network: options.network ?? 'remote' })
  if (!parsed.ok) throw new BadOptions(parsed.problems)
  const { logger = silentLogger, clock = systemClock } = deps
  for (const warning of parsed.warnings) logger.warn({}, warning)
  const keepAlive = new KeepAlive()
  const path = await keepAlive.during(() => openReadPath(parsed.config, { logger, clock }))
  let isDisposed = false
  const methods = methodsOver(readIds, async (id, given, options) => {
    if (isDisposed) throw new SpliceError('disposed')
    const problem = problemOfCall(options)
    if (problem !== undefined) throw new BadOptions([problem])
    checkedQuestion(id, given)
    const read: Read = reads[id]
    const question = { read, params: paramsOf(read, given) }
    const { signal } = options
    const notBefore = wantedNotBefore(options, clock.wall())
    const answer = async () =>
      path.reader.answer(question, { notBefore, ...(signal && { signal: () => signal }) })
    const served = await keepAlive.during(answer).catch((error: unknown) => {
      throw namingSeeds(error, path.discovery.status.seeds)
    })
    return fromServed(read, served, clock)
  })
  const scan = {
    ...methods,
    get roster() {
      const { roster, status } = path.discovery
      if (roster === undefined) return undefined
      return {
        superValidators: roster.set.members.map(({ name }) => name),
        dso: roster.set.dso,
        threshold: roster.electorate().superValidators.threshold,
        protected: roster.isProtected(),
        singleSeed: status.onOneSeedsWord,
        ageMs: status.ageMs ?? 0,
      }
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true
      path.cut(new SpliceError('disposed'))
      await path[Symbol.asyncDispose]()
    },
  }
  return printedAs(scan, `BftScan { roster, and a method for each of ${readIds.length} reads }`)
}

interface SeedSaid {
  readonly url: string
  readonly outcome: string
  readonly detail: string
}

/** Adds what each seed said to the error of a missing roster, because a library has no log unless it is given one. */
function namingSeeds(error: unknown, seeds: readonly SeedSaid[]): unknown {
  if (!(error instanceof SpliceError) || error.code !== 'noRosterYet') return error
  const said = Map.groupBy(seeds, ({ outcome }) => outcome)
  const counts = [...said].map(([outcome, { length }]) => `${outcome} ${length}`).join(', ')
  const causes = seeds.map(({ url, outcome, detail }) => new Error(`${url}: ${outcome}: ${detail}`))
  const { retryAfter, values } = error
  return new SpliceError(
    'noRosterYet',
    { why: `${values['why']} (seeds: ${counts})` },
    {
      ...(retryAfter !== undefined && { retryAfter }),
      cause: new AggregateError(causes, 'the outcome of each seed'),
    },
  )
}

const depRules: OptionRules = {
  logger: {
    is: hasMethods('debug', 'info', 'warn', 'error', 'child'),
    what: 'a Logger with the methods debug, info, warn, error and child',
  },
  clock: { is: hasMethods('now', 'wall', 'after'), what: 'a Clock with the methods now, wall and after' },
}

/** The problems of the second argument of `createBftScan` that JavaScript lets pass. */
function misplacedDeps(deps: unknown): readonly string[] {
  const misplaced = optionNames.find(
    (name) => kindOf(deps) === 'Object' && Object.hasOwn(deps as object, name),
  )
  if (misplaced !== undefined)
    return [`${misplaced}: belongs into the first argument of createBftScan; the second has logger and clock`]
  const problem = problemOf(deps, depRules, 'the second argument of createBftScan')
  return problem === undefined ? [] : [problem]
}

const optionNames = ['network', 'scanClient', 'cache', 'evidence'] as const satisfies (keyof BftScanOptions)[]
const networks: readonly unknown[] = [undefined, 'localnet', 'remote']

/**
 * Returns the problems that TypeScript finds in the options but JavaScript does not: no object, an unknown
 * section, another kind of network.
 */
function misplacedOptions(options: unknown): readonly string[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return ['createBftScan takes an object such as { scanClient: { seedUrls: [...] } }']
  const others = Object.keys(options).filter((key) => !optionNames.some((name) => name === key))
  const problems = others.map((key) => `${key}: no option of the library; it has ${optionNames.join(', ')}`)
  const { network } = options as { readonly network?: unknown }
  if (networks.includes(network)) return problems
  return [...problems, `network: must be localnet or remote; a public network is given by its seedUrls`]
}
