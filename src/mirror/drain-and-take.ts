import type { AmuletRules } from '../reads/dso.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { AgreedSet } from './agreed-set.ts'
import { continuityIn, isContinuous } from './continuity.ts'
import { reconciliationCase } from './contradictions.ts'
import type { DrainReport } from './drain-report.ts'
import type { DrainEnd } from './drain-schedule.ts'
import { drainSentence } from './drain-sentence.ts'
import type { Reconciliation } from './ledger-names.ts'
import type { Mirror } from './mirror.ts'
import { packageProblem } from './package-guard.ts'
import type { DrainOutcome, WantedSnapshot } from './quorum-drain.ts'

/**
 * The outcome of reading a snapshot from scans (a drain) and giving it to the mirror.
 * - `withdrawn`: the snapshot lacks too many unexpired entries that the mirror has.
 * - `unreconciled`: the snapshot contradicts the updates that the mirror followed.
 * - `package`: the ledger uses a version of the name-service package that this release does not
 *   know.
 * - `failed`: a read that the drain needs failed, or the mirror already has a later set.
 */
export type DrainAndTakeOutcome =
  | Exclude<DrainOutcome['kind'], 'agreed'>
  | 'taken'
  | 'withdrawn'
  | 'unreconciled'
  | 'package'
  | 'failed'

export interface DrainAndTakeDeps {
  readonly mirror: Mirror
  readonly maxEntries: number
  /** Versions of the name-service package that the operator audited (`mirror.packages`). */
  readonly packages: readonly string[]
  readonly rules: () => Promise<AmuletRules>
  readonly migrationId: () => Promise<number>
  /** Asks scans how late the ledger is, and tells the mirror. */
  readonly learnHead: (migrationId: number, signal: AbortSignal) => Promise<void>
  readonly drain: (wanted: WantedSnapshot, signal: AbortSignal) => Promise<DrainOutcome>
  readonly file: (found: Case) => void
  readonly reconciled: (at: number, outcome: Reconciliation['kind']) => void
  readonly wall: () => number
  readonly ended: (outcome: DrainAndTakeOutcome, report: DrainReport | undefined, why?: string) => void
}

/**
 * Stops the mirror while the agreed `AmuletRules` name a version of the name-service package that
 * this release does not know.
 * @returns a sentence about the unknown version; undefined if the version is known.
 */
export async function guardPackage({
  mirror,
  rules,
  packages,
}: DrainAndTakeDeps): Promise<string | undefined> {
  const why = packageProblem(await rules(), packages)
  mirror.judgePackage(why)
  return why
}

/**
 * Reads the snapshot of record time `at`, in milliseconds since 1970, from scans, and gives the
 * agreed set to the mirror.
 * Rejects only when the signal aborts.
 */
export async function drainAndTake(
  at: number,
  deps: DrainAndTakeDeps,
  signal: AbortSignal,
): Promise<DrainEnd> {
  try {
    const unknown = await guardPackage(deps)
    if (unknown !== undefined) return end(deps, 'package', undefined, unknown)
    const migrationId = await deps.migrationId()
    const outcome = await deps.drain({ at, migrationId }, signal)
    if (outcome.kind === 'agreed') await deps.learnHead(migrationId, signal)
    const ended = await judge(outcome, at, deps)
    if (outcome.kind === 'agreed' && outcome.evidence !== undefined) deps.file(await outcome.evidence(signal))
    return ended
  } catch (error) {
    if (signal.aborted) throw error
    return end(deps, 'failed', undefined, error instanceof Error ? error.message : String(error))
  }
}

async function judge(outcome: DrainOutcome, at: number, deps: DrainAndTakeDeps): Promise<DrainEnd> {
  if (outcome.kind === 'agreed') return deps.mirror.handling(judgeSet(outcome.set, outcome.report, deps))
  if (outcome.kind === 'disputed') deps.file(outcome.evidence)
  if (outcome.kind === 'too-many-entries') deps.mirror.stop({ kind: 'entries', most: deps.maxEntries })
  if (outcome.kind === 'too-many-others') deps.mirror.stop({ kind: 'others' })
  const report = 'report' in outcome ? outcome.report : undefined
  return end(deps, outcome.kind, report, drainSentence(outcome, at, deps.maxEntries))
}

/**
 * Gives an agreed set to the mirror. The mirror refuses a set that contradicts the followed updates.
 * While a quorum still supports its present set, the mirror also refuses a set that lacks too many
 * unexpired entries of the present set.
 */
function* judgeSet(set: AgreedSet, report: DrainReport, deps: DrainAndTakeDeps): Generator<void, DrainEnd> {
  const { mirror } = deps
  const reconciliation = yield* mirror.reconcile(set)
  deps.reconciled(set.at, reconciliation.kind)
  if (reconciliation.kind === 'different') {
    deps.file(reconciliationCase(set, reconciliation.difference, deps.wall()))
    mirror.unreconciled(set.at)
    return end(deps, 'unreconciled', report)
  }
  const former = mirror.set?.dso === set.dso ? mirror.set : undefined
  const continuity = former && (yield* continuityIn(former.entries, set.entries, set.at))
  if (continuity !== undefined && !isContinuous(continuity) && mirror.isAgreed()) {
    mirror.refuse(continuity.withdrawn, set.agreement)
    return end(deps, 'withdrawn', report)
  }
  const taken = yield* mirror.take(set, continuity?.withdrawn)
  return taken === 'older'
    ? end(deps, 'failed', report, 'The mirror has a later set.')
    : end(deps, taken, report)
}

const refused: ReadonlySet<DrainAndTakeOutcome> = new Set([
  'withdrawn',
  'unreconciled',
  'too-many-entries',
  'too-many-others',
])

function end(
  { ended }: DrainAndTakeDeps,
  outcome: DrainAndTakeOutcome,
  report: DrainReport | undefined,
  why?: string,
): DrainEnd {
  ended(outcome, report, why)
  if (outcome === 'taken') return 'taken'
  return refused.has(outcome) ? 'refused' : 'again'
}
