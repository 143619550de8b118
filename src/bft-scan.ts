import type { Agreement } from './cache/agreement.ts'
import type { AgreedAbsence, AgreedValue, Answered, MirroredAsOf } from './client/answered.ts'
import { fromServed } from './client/from-served.ts'
import { type CallOptions, methodsOver, printedAs, type ReadMethods } from './client/methods.ts'
import { wantedNotBefore } from './client/not-before.ts'
import { hasMethods, kindOf, type OptionRules, problemOf, problemOfCall } from './client/options.ts'
import { checkedQuestion, isReadId } from './client/question.ts'
import type { Written } from './config/options.ts'
import { parseConfig } from './config/parse.ts'
import { type QuorumReached, SpliceError, type SpliceErrorCode } from './errors/splice.ts'
import { BadOptions } from './lib/bad-options.ts'
import type { Json as CanonicalJson } from './lib/canonical-json.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { KeepAlive } from './lib/keep-alive.ts'
import type { Arguments } from './reads/arguments.ts'
import { paramsOf } from './reads/canonical-params.ts'
import { type ReadId, readIds, type Value } from './reads/endpoints.ts'
import type { Read } from './reads/read.ts'
import { reads } from './reads/table.ts'
import { openReadPathAlone } from './scan/open.ts'
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

// Without this alias, the declarations of the reads would import this file. Browser programs use
// those declarations, and would then have to load the types of Node.
type Json = CanonicalJson

/**
 * Says which super validators to ask, and how many must agree. Each section is written as in a
 * configuration file (`docs/configuration.md`), but the library reads no file and no environment
 * variable.
 */
export interface BftScanOptions extends Pick<Written, 'scanClient' | 'cache' | 'evidence'> {
  /**
   * The network; `remote` by default. `localnet` permits plain http, private addresses and a single
   * voter.
   */
  readonly network?: 'localnet' | 'remote' | undefined
}

export interface BftScanDeps {
  /** Receives the log lines. Without a logger, nothing is logged. */
  readonly logger?: Logger | undefined
  /**
   * Computes the age of answers and times the requests to scans; the machine's clock by default.
   */
  readonly clock?: Clock | undefined
}

/** The super validators that vote, and how many of them must agree. */
export interface RosterNow {
  /** The names of all super validators that vote, reachable or not. */
  readonly superValidators: readonly string[]
  /**
   * The party id of the DSO. Empty if `scanClient.discover` is off and `scanClient.dsoPartyId` is
   * not set.
   */
  readonly dso: string
  /** The number of super validators that must agree. A read can have a threshold of its own. */
  readonly threshold: number
  /**
   * True if f faulty super validators together cannot make up an answer
   * (quorum.md#loud-when-unprotected).
   */
  readonly protected: boolean
  /**
   * True if the answer of a single seed was enough for the first roster. If that seed is faulty, it
   * can have made up the roster.
   */
  readonly singleSeed: boolean
  /** The time since a quorum last confirmed this roster, in milliseconds. */
  readonly ageMs: number
}

/**
 * The library: one method for each read, answered in this process without a server. All methods
 * share one cache and one set of connections. Disposing the object closes them.
 */
export interface BftScan extends ReadMethods, AsyncDisposable {
  /**
   * The current roster. Undefined until enough seeds have agreed on one; until then, reads reject
   * with `noRosterYet`.
   */
  readonly roster: RosterNow | undefined
}

/**
 * Opens the library, and asks the configured scans (seeds) who the super validators are. Resolves
 * when enough seeds agreed, or when the first attempt failed. The library repeats a failed attempt
 * by itself.
 *
 *     await using scan = await createBftScan({ scanClient: { seedUrls: ['https://scan.sv-1.example.org', ...] } })
 *     const { value, agreement } = await scan.lookupAnsEntryByName({ name: 'alice.unverified.cns' })
 *
 * Methods resolve with the agreed answer, which may be an absence. They reject with `SpliceError`,
 * whose `code` tells the cause (`docs/errors.md`), such as `noConsensus`. They reject with
 * `BadOptions` if an option of the call is wrong, and with the reason of the call's signal if it
 * aborts. A read in progress keeps the process alive; an idle library does not.
 *
 * @throws BadOptions, which lists all problems of the options; Error on a Node that is too old.
 */
export async function createBftScan(options: BftScanOptions, deps: BftScanDeps = {}): Promise<BftScan> {
  const tooOld = nodeProblem(process.versions.node)
  if (tooOld !== undefined) throw new Error(`bft-scan-proxy: ${tooOld}`)
  const misplaced = [...misplacedOptions(options), ...misplacedDeps(deps)]
  const parsed = parseConfig(written(options), { isDaemon: false })
  if (!parsed.ok) throw new BadOptions([...misplaced, ...(isObject(options) ? parsed.problems : [])])
  const seedless = parsed.config.scanClient.seedUrls.length === 0 ? [noSeed] : []
  if (misplaced.length + seedless.length > 0) throw new BadOptions([...misplaced, ...seedless])
  const { logger = silentLogger, clock = systemClock } = deps
  for (const warning of parsed.warnings) logger.warn({}, warning)
  const keepAlive = new KeepAlive()
  const path = await keepAlive.during(() => openReadPathAlone(parsed.config, { logger, clock }))
  let isDisposed = false
  const methods = methodsOver(readIds, async (id, given, options) => {
    if (isDisposed) throw new SpliceError('disposed')
    const problem = problemOfCall(options)
    if (problem !== undefined) throw new BadOptions([problem])
    checkedQuestion(id, given)
    const read: Read = reads[id]
    const question = { read, params: paramsOf(read, given) }
    const { signal } = options
    // A cached answer needs no wait, so the reader itself would not look at the signal.
    signal?.throwIfAborted()
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

/** Without a logger, a program can learn what each seed answered only from this error. */
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
    accepts: hasMethods('debug', 'info', 'warn', 'error', 'child'),
    expected: 'a Logger with the methods debug, info, warn, error and child',
  },
  clock: {
    accepts: hasMethods('now', 'wall', 'after'),
    expected: 'a Clock with the methods now, wall and after',
  },
}

/** JavaScript programs can pass an argument that the type forbids. */
function misplacedDeps(deps: unknown): readonly string[] {
  const misplaced = optionNames.find(
    (name) => kindOf(deps) === 'Object' && Object.hasOwn(deps as object, name),
  )
  if (misplaced !== undefined)
    return [`${misplaced}: belongs into the first argument of createBftScan; the second has logger and clock`]
  const problem = problemOf(deps, depRules, 'the second argument of createBftScan')
  return problem === undefined ? [] : [problem]
}

function written(options: unknown): object {
  const given = isObject(options) ? options : {}
  const sections = optionNames.map((name) => [name, given[name]] as const)
  return { ...Object.fromEntries(sections), network: given['network'] === 'localnet' ? 'localnet' : 'remote' }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const optionNames = ['network', 'scanClient', 'cache', 'evidence'] as const satisfies (keyof BftScanOptions)[]
const noSeed = 'scanClient.seedUrls must name at least one scan: the library starts no localnet'
const networks: readonly unknown[] = [undefined, 'localnet', 'remote']

function misplacedOptions(options: unknown): readonly string[] {
  if (!isObject(options)) return ['createBftScan takes an object such as { scanClient: { seedUrls: [...] } }']
  const others = Object.keys(options).filter((key) => !optionNames.some((name) => name === key))
  const problems = others.map((key) => `${key}: no option of the library; it has ${optionNames.join(', ')}`)
  if (networks.includes(options['network'])) return problems
  return [...problems, `network: must be localnet or remote; a public network is given by its seedUrls`]
}
