import type { Config } from '../base/config/resolve.ts'
import { momentOf, withWall } from '../base/lib/clock.ts'
import type { DrainLabel } from '../base/telemetry/label-values.ts'
import { type AmuletRules, getAmuletRules } from '../core/reads/dso.ts'
import type { Read } from '../core/reads/read.ts'
import { getMigrationId } from '../core/reads/rounds.ts'
import { agreedValue, type Reader } from '../core/scan/reader.ts'
import type { Roster } from '../core/scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import { continuityIn, isContinuous } from './continuity.ts'
import { reconciliationCase } from './contradictions.ts'
import { type DrainOutcome, drainedTime, drainSentence } from './drain-outcome.ts'
import type { DrainReport } from './drain-report.ts'
import { type DrainEnd, snapshotMs } from './drain-schedule.ts'
import { LedgerHead } from './ledger-head.ts'
import type { Reconciliation } from './ledger-names.ts'
import type { Mirror } from './mirror.ts'
import type { UpkeepDeps } from './mirror-deps.ts'
import type { StatusFacts } from './mirror-status.ts'
import { packageProblem } from './package-guard.ts'
import { drainByQuorum, drainOptions, type WantedSnapshot } from './quorum-drain.ts'
import { gridAt, gridMs } from './snapshot-grid.ts'

const refused: ReadonlySet<DrainLabel> = new Set(['withdrawn', 'unreconciled', 'too-many-entries'])

/** Reads snapshots from scans, and gives the agreed sets to the mirror. */
export class Drains {
  readonly #mirror: Mirror
  readonly #config: Pick<Config, 'mirror' | 'scanClient'>
  readonly #deps: UpkeepDeps
  readonly #head: LedgerHead
  reconciled: StatusFacts['reconciled'] = null
  lastFailedBecause: string | undefined

  constructor(mirror: Mirror, config: Pick<Config, 'mirror' | 'scanClient'>, deps: UpkeepDeps) {
    this.#mirror = mirror
    this.#config = config
    this.#deps = deps
    const { requestTimeoutMs } = config.scanClient
    this.#head = new LedgerHead({ connections: deps.connections, requestTimeoutMs })
  }

  /**
   * Stops the mirror while the agreed `AmuletRules` name a version of the name-service package that
   * this release does not know.
   * @returns a sentence about the unknown version; undefined if the version is known.
   */
  async guardPackage(): Promise<string | undefined> {
    const why = packageProblem(await agreedRules(this.#deps.reader), this.#config.mirror.packages)
    this.#mirror.judgePackage(why)
    return why
  }

  /** Asks scans how late the ledger is, and tells the mirror. */
  async learnHead(migrationId: number, signal: AbortSignal): Promise<void> {
    const { clock, discovery } = this.#deps
    const { roster } = discovery
    if (roster === undefined) return
    const asked = momentOf(clock)
    const reached = await this.#head.agreed(migrationId, roster, signal)
    if (reached !== undefined) this.#mirror.learnHead(reached, asked, momentOf(clock))
  }

  /**
   * Reads the snapshot of record time `at`, in milliseconds since 1970, and gives the agreed set to
   * the mirror. Rejects only when the signal aborts.
   */
  async drain(at: number, signal: AbortSignal): Promise<DrainEnd> {
    try {
      const unknown = await this.guardPackage()
      if (unknown !== undefined) return this.#end('package', undefined, unknown)
      const migrationId = await agreedMigration(this.#deps.reader)
      const outcome = await this.#read({ at, migrationId }, signal)
      if (outcome.kind === 'agreed') await this.learnHead(migrationId, signal)
      return await this.judge(outcome, at)
    } catch (error) {
      if (signal.aborted) throw error
      return this.#end('failed', undefined, error instanceof Error ? error.message : String(error))
    }
  }

  /** Gives the mirror what scans came to about the snapshot of record time `at`. */
  async judge(outcome: DrainOutcome, at: number): Promise<DrainEnd> {
    const { maxEntries } = this.#config.mirror
    if ('evidence' in outcome && outcome.evidence !== undefined) this.#deps.evidence.add(outcome.evidence)
    if (outcome.kind === 'agreed') return this.#mirror.handling(this.#judgeSet(outcome.set, outcome.report))
    if (outcome.kind === 'too-many-entries') this.#mirror.stop({ kind: 'entries', most: maxEntries })
    const report = 'report' in outcome ? outcome.report : undefined
    return this.#end(outcome.kind, report, drainSentence(outcome, at, maxEntries))
  }

  #read(wanted: WantedSnapshot, signal: AbortSignal): Promise<DrainOutcome> {
    const { clock, askClock, discovery, ...deps } = this.#deps
    // The time limits of a download follow real time. Otherwise it would end early when an operator
    // moves a localnet's time forward.
    const patient = withWall(askClock, () => clock.wall())
    const drainDeps = { ...deps, clock: patient, roster: () => discovery.roster }
    // Then scans should have the next snapshot.
    const deadlineMs = wanted.at + gridMs + snapshotMs - clock.wall()
    const options = { ...drainOptions(this.#config), deadlineMs }
    return drainByQuorum(wanted, options, drainDeps, signal)
  }

  /**
   * Gives an agreed set to the mirror. The mirror refuses a set that contradicts the followed updates.
   * While a quorum still supports its present set, the mirror also refuses a set that lacks too many
   * unexpired entries of the present set.
   */
  *#judgeSet(set: AgreedSet, report: DrainReport): Generator<void, DrainEnd> {
    const mirror = this.#mirror
    const { evidence, clock } = this.#deps
    const reconciliation = yield* mirror.reconcile(set)
    this.#reconciled(set.at, reconciliation.kind)
    if (reconciliation.kind === 'different') {
      evidence.add(reconciliationCase(set, reconciliation.difference, clock.wall()))
      mirror.unreconciled(set.at)
      return this.#end('unreconciled', report)
    }
    const former = mirror.set?.dso === set.dso ? mirror.set : undefined
    const continuity = former && (yield* continuityIn(former.entries, set.entries, set.at))
    if (continuity !== undefined && !isContinuous(continuity) && mirror.isAgreed()) {
      mirror.refuse(continuity.withdrawn, set.agreement)
      return this.#end('withdrawn', report)
    }
    const taken = yield* mirror.take(set, continuity?.withdrawn)
    return taken === 'older'
      ? this.#end('failed', report, 'The mirror has a later set.')
      : this.#end(taken, report)
  }

  #reconciled(at: number, outcome: Reconciliation['kind']): void {
    if (this.#mirror.state === undefined) return
    this.reconciled = { at: new Date(at).toISOString(), outcome }
    this.#deps.telemetry.reconciled(outcome)
  }

  #end(outcome: DrainLabel, report: DrainReport | undefined, why?: string): DrainEnd {
    this.lastFailedBecause = why
    this.#deps.telemetry.drained(outcome, { bytes: report?.bytes ?? 0, why })
    if (outcome === 'taken') return 'taken'
    return refused.has(outcome) ? 'refused' : 'again'
  }
}

/** An operator waits for a trial, so its limit is shorter than that of other downloads. */
const trialMs = 900_000

interface TrialDrainDeps extends Pick<UpkeepDeps, 'clock' | 'random' | 'connections' | 'judge' | 'reader'> {
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
  const says =
    outcome.kind === 'agreed'
      ? `${outcome.set.entries.length} names as of ${drainedTime(at)}. Nothing of this is kept.`
      : drainSentence(outcome, at, config.mirror.maxEntries)
  return {
    at,
    outcome,
    says: problem === undefined ? says : `${says} A mirror would serve nothing: ${problem}`,
  }
}

async function agreedMigration(reader: Reader): Promise<number> {
  return (await mustExist<{ readonly migration_id: number }>(reader, getMigrationId)).migration_id
}

function agreedRules(reader: Reader): Promise<AmuletRules> {
  return mustExist(reader, getAmuletRules)
}

async function mustExist<Value>(reader: Reader, read: Read): Promise<Value> {
  const value = await agreedValue(reader, { read, params: {} })
  if (value === undefined) throw new Error(`the super validators agree that there is no ${read.id}`)
  return value as Value
}
