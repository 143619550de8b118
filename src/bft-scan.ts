import { addAbortListener } from 'node:events'
import { readLibraryOptions } from './base/config/library-options.ts'
import type { Written } from './base/config/options.ts'
import { SpliceError } from './base/errors/splice.ts'
import { BadOptions } from './base/lib/bad-options.ts'
import type { Json as CanonicalJson } from './base/lib/canonical-json.ts'
import { type Clock, systemClock } from './base/lib/clock.ts'
import { KeepAlive } from './base/lib/keep-alive.ts'
import { nodeProblem } from './base/lib/version.ts'
import { type Logger, silentLogger } from './base/telemetry/logger.ts'
import { fromServed } from './client/from-served.ts'
import { methodsOver, printedAs, type ReadMethods } from './client/methods.ts'
import { wantedNotBefore } from './client/not-before.ts'
import { problemOfCall } from './client/options.ts'
import { checkedQuestion } from './client/question.ts'
import { paramsOf } from './core/reads/canonical-params.ts'
import { type ReadId, readIds } from './core/reads/endpoints.ts'
import type { Read } from './core/reads/read.ts'
import { reads } from './core/reads/table.ts'
import { type RosterNow, rosterNow } from './core/scan/discovery.ts'
import { openReadPathAlone } from './core/scan/open.ts'
import type { Caller } from './core/scan/reader.ts'
import { namingSeeds } from './core/scan/seed-outcome.ts'

export { type QuorumReached, SpliceError, type SpliceErrorCode } from './base/errors/splice.ts'
export { BadOptions } from './base/lib/bad-options.ts'
export type { Clock } from './base/lib/clock.ts'
export type { Fields, Logger } from './base/telemetry/logger.ts'
export type { AgreedAbsence, AgreedValue, Answered, MirroredAsOf } from './client/answered.ts'
export type { CallOptions, ReadMethods } from './client/methods.ts'
export { isReadId } from './client/question.ts'
export type { Agreement } from './core/cache/agreement.ts'
export type { Arguments } from './core/reads/arguments.ts'
export { type ReadId, readIds, type Value } from './core/reads/endpoints.ts'
export type { RosterNow } from './core/scan/discovery.ts'
export type { Json }

// Without this alias, the declarations of the reads would import this file. Browser programs use
// those declarations, and would then have to load the types of Node.
type Json = CanonicalJson

/**
 * Says which super validators to ask, and how many must agree. Each section is written as in a
 * configuration file (`docs/configuration.md`), but the library reads no file and no environment
 * variable.
 */
export interface BftScanOptions extends Pick<Written<ReadId>, 'scanClient' | 'cache' | 'evidence'> {
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
  const { config, warnings, problems } = readLibraryOptions(options, deps, readIds)
  if (config === undefined || problems.length > 0) throw new BadOptions(problems)
  const { logger = silentLogger, clock = systemClock } = deps
  for (const warning of warnings) logger.warn({}, warning)
  const keepAlive = new KeepAlive()
  const path = await keepAlive.during(() => openReadPathAlone(config, { logger, clock }))
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
    const answer = async () => {
      let leave: (reason: unknown) => void = () => {}
      using _ = signal && addAbortListener(signal, () => leave(signal.reason))
      const caller: Caller = {
        notBefore,
        whenLeft: (left) => {
          leave = left
        },
      }
      return await path.reader.answer(question, caller)
    }
    const served = await keepAlive.during(answer).catch((error: unknown) => {
      throw namingSeeds(error, path.discovery.status.seeds)
    })
    return fromServed(read, served, clock)
  })
  const scan = {
    ...methods,
    get roster() {
      return rosterNow(path.discovery)
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true
      path.cut(new SpliceError('disposed'))
      await path[Symbol.asyncDispose]()
    },
  }
  return printedAs(scan, `BftScan { roster, and a method for each of ${readIds.length} reads }`)
}
