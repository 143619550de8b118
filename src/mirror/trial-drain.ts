import type { Config } from '../base/config/resolve.ts'
import type { Roster } from '../core/scan/roster.ts'
import { agreedMigration, agreedRules } from './agreed-ledger.ts'
import { type DrainOutcome, drainedTime, drainSentence } from './drain-outcome.ts'
import { LedgerHead } from './ledger-head.ts'
import type { UpkeepDeps } from './mirror-deps.ts'
import { packageProblem } from './package-guard.ts'
import { drainByQuorum, drainOptions } from './quorum-drain.ts'
import { gridAt } from './snapshot-grid.ts'

/** An operator waits for a trial, so its limit is shorter than that of other downloads. */
const trialMs = 900_000

export interface TrialDrainDeps
  extends Pick<UpkeepDeps, 'clock' | 'random' | 'connections' | 'judge' | 'reader'> {
  readonly roster: Roster
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
  { roster, reader, ...deps }: TrialDrainDeps,
  signal: AbortSignal,
): Promise<TrialDrain> {
  const { clock, connections } = deps
  const migrationId = await agreedMigration(reader)
  const problem = packageProblem(await agreedRules(reader), config.mirror.packages)
  const { requestTimeoutMs } = config.scanClient
  const head = await new LedgerHead({ connections, requestTimeoutMs }).agreed(migrationId, roster, signal)
  const at = gridAt(Math.max(clock.wall(), head ?? 0))
  const options = { ...drainOptions(config), deadlineMs: trialMs, fanout: 'all', patient: true } as const
  const outcome = await drainByQuorum({ at, migrationId }, options, { ...deps, roster: () => roster }, signal)
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
