import type { Config } from '../config/resolve.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Connections } from '../scan/connections.ts'
import type { JudgeThread } from '../scan/judge-thread.ts'
import type { Reader } from '../scan/reader.ts'
import type { Roster } from '../scan/roster.ts'
import { agreedMigration, agreedRules } from './agreed-ledger.ts'
import { drainedTime, drainSentence, packageProblem } from './drain-and-take.ts'
import { LedgerHead } from './ledger-head.ts'
import { type DrainOutcome, drainByQuorum } from './quorum-drain.ts'
import { gridAt, gridMs } from './snapshot-grid.ts'

/** The largest number of bytes of a page of 1,000 contracts. The limits of the ledger permit about 3 KB each. */
const maxPageBytes = 4_194_304
const pageTimeoutMs = 60_000
/** An operator waits for a trial, so its limit is shorter than that of other downloads. */
const trialMs = 900_000

export interface TrialDrainDeps {
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly roster: Roster
  readonly reader: Reader
}

export interface TrialDrain {
  /** The time of the snapshot is in milliseconds since 1970. */
  readonly at: number
  readonly outcome: DrainOutcome
  readonly says: string
}

/**
 * Downloads the latest snapshot from every super validator, and stores nothing of it.
 * @throws SpliceError if the super validators do not agree on the migration id or the rules
 */
export async function drainOnTrial(
  config: Pick<Config, 'mirror' | 'scanClient'>,
  { clock, random, connections, judge, roster, reader }: TrialDrainDeps,
  signal: AbortSignal,
): Promise<TrialDrain> {
  const migrationId = await agreedMigration(reader)
  const problem = packageProblem(await agreedRules(reader), config.mirror.packages)
  const { requestTimeoutMs } = config.scanClient
  const head = await new LedgerHead({ connections, requestTimeoutMs }).agreed(migrationId, roster, signal)
  const at = gridAt(Math.max(clock.wall(), head ?? 0))
  const options = { ...drainOptions(config), deadlineMs: trialMs, fanout: 'all', patient: true } as const
  const deps = { clock, random, connections, judge, roster: () => roster }
  const outcome = await drainByQuorum({ at, migrationId }, options, deps, signal)
  const says = sentenceOf(outcome, at, config.mirror.maxEntries)
  return {
    at,
    outcome,
    says: problem === undefined ? says : `${says} A mirror would serve nothing: ${problem}`,
  }
}

function sentenceOf(outcome: DrainOutcome, at: number, most: number): string {
  return outcome.kind === 'agreed'
    ? `${outcome.set.entries.length} names as of ${drainedTime(at)}. Nothing of this is kept.`
    : drainSentence(outcome, at, most)
}

export function drainOptions({ mirror: { maxEntries }, scanClient }: Pick<Config, 'mirror' | 'scanClient'>) {
  return {
    fanout: scanClient.fanout,
    maxEntries,
    requestTimeoutMs: Math.max(pageTimeoutMs, scanClient.requestTimeoutMs),
    maxPageBytes: Math.min(maxPageBytes, scanClient.maxResponseBytes),
    deadlineMs: gridMs,
  }
}
