import type { Agreement } from './cache/agreement.ts'
import type { AgreedAbsence, AgreedValue, Answered } from './client/answered.ts'
import { fromServed } from './client/from-served.ts'
import { type CallOptions, methodsOver, type ReadMethods } from './client/methods.ts'
import { openReadPath } from './compose-alone.ts'
import { parseConfig } from './config/parse.ts'
import type { Written } from './config/schema.ts'
import { SpliceError, type SpliceErrorCode } from './errors/splice.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import type { Arguments, Value } from './reads/arguments.ts'
import type { ReadId } from './reads/table.ts'
import { type Fields, type Logger, silentLogger } from './telemetry/logger.ts'

export {
  type AgreedAbsence,
  type AgreedValue,
  type Agreement,
  type Answered,
  type Arguments,
  type CallOptions,
  type Clock,
  type Fields,
  type Logger,
  type ReadId,
  type ReadMethods,
  SpliceError,
  type SpliceErrorCode,
  type Value,
}

/**
 * Whom to ask and how many must agree: the sections of the configuration that a read depends on, written and checked as
 * in a configuration file (`docs/configuration.md`). No file and no environment variable is read.
 */
export interface BftScanOptions extends Pick<Written, 'scanClient' | 'cache' | 'evidence'> {
  /** `remote` where it is left out: `localnet` allows plain http, private addresses and a single voter. */
  readonly network?: 'localnet' | 'remote'
}

export interface BftScanDeps {
  /** Told what happens, as the daemon's log is; nobody is where it is left out. */
  readonly logger?: Logger
  /** What answers age by, and what asks are timed by. */
  readonly clock?: Clock
}

/** The super validators that vote, as far as callers may want to know. */
export interface RosterNow {
  /** Every name, reachable or not. */
  readonly superValidators: readonly string[]
  /** The party of the DSO whom they belong to; empty where `scanClient.discover` is off and no pin is set. */
  readonly dso: string
  /** How many of them have to agree, where a read has no threshold of its own. */
  readonly threshold: number
  /** Whether an answer is worth what f+1 promises. */
  readonly protected: boolean
  /** Milliseconds since a quorum last gave this roster. */
  readonly ageMs: number
}

/**
 * Trusted reads in this process, without any server: one method for each read, all over one cache, one set of connections
 * and one roster that is kept up to date. Disposing it closes all of them.
 */
export interface BftScan extends ReadMethods, AsyncDisposable {
  /** Undefined until enough seeds agreed on one: reads reject with `noRosterYet` meanwhile. */
  readonly roster: RosterNow | undefined
}

/** Options that cannot be used. */
export class BadOptions extends Error {
  override readonly name = 'BadOptions'
  /** Everything that is wrong with them, a sentence each. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

/**
 * Asks the seeds who the super validators are, and resolves when they agreed, or when the first attempt failed: further
 * ones follow by themselves.
 *
 *     await using scan = await createBftScan({ scanClient: { seedUrls: ['https://scan.sv-1.example.org', ...] } })
 *     const { value, agreement } = await scan.lookupAnsEntryByName({ name: 'alice.unverified.cns' })
 *
 * Methods resolve with what a quorum says, an agreed "there is none" included. They reject with `SpliceError`: a bad
 * question (400), `notEnoughScans`, `scansHeldBack` or `noConsensus` (502), `noRosterYet` or `tooManyReads` (503); and with the signal's
 * reason.
 *
 * @throws BadOptions with every problem at once.
 */
export async function createBftScan(options: BftScanOptions, deps: BftScanDeps = {}): Promise<BftScan> {
  const parsed = parseConfig({ network: 'remote', ...options })
  if (!parsed.ok) throw new BadOptions(parsed.problems)
  const { logger = silentLogger, clock = systemClock } = deps
  for (const warning of parsed.warnings) logger.warn({}, warning)
  const path = await openReadPath(parsed.config, { logger, clock })
  const methods = methodsOver(async (question, signal) =>
    fromServed(
      question.read,
      await path.reader.answer(question, { ...(signal && { signal: () => signal }) }),
      clock,
    ),
  )
  return {
    ...methods,
    get roster() {
      const { roster, status } = path.discovery
      if (roster === undefined) return undefined
      return {
        superValidators: roster.set.members.map(({ name }) => name),
        dso: roster.set.dso,
        threshold: roster.electorate().superValidators.threshold,
        protected: roster.isProtected(),
        ageMs: status.ageMs ?? 0,
      }
    },
    [Symbol.asyncDispose]: () => path[Symbol.asyncDispose](),
  }
}
