import type { AmuletRules } from '../reads/dso.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { AgreedSet } from './agreed-set.ts'
import { continuityOf, isContinuous } from './continuity.ts'
import type { DrainReport } from './drain-report.ts'
import type { DrainEnd } from './drain-schedule.ts'
import { drainSentence } from './drain-sentence.ts'
import type { Reconciliation } from './following.ts'
import type { Mirror } from './mirror.ts'
import { packageProblem } from './package-guard.ts'
import type { DrainOutcome, WantedSnapshot } from './quorum-drain.ts'
import { reconciliationCase } from './reconciliation-case.ts'

/**
 * The outcome of one attempt to drain a snapshot and give its set of names to the mirror. If the drain ended
 * without an agreed set, the outcome is the `kind` of the `DrainOutcome`. Otherwise it is one of these:
 * - `taken`: the mirror took the drained set.
 * - `too-many-entries`: rejected, because the drained set has more than `maxEntries` entries. A drain that
 *   finds too many entries before a set is agreed has the same outcome.
 * - `withdrawn`: rejected, because the drained set lacks too many unexpired entries of the set that the
 *   mirror has.
 * - `unreconciled`: rejected, because the drained set contradicts the updates that the mirror followed.
 * - `package`: not drained, because the ledger uses a version of the name-service package that this release
 *   does not know.
 * - `failed`: a read that a drain needs failed, or the mirror already has a later set.
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
  /** Returns the `AmuletRules` that a quorum agrees on. Rejects if there is no agreement. */
  readonly rules: () => Promise<AmuletRules>
  /** Returns the migration id that a quorum agrees on. Rejects if there is no agreement. */
  readonly migrationId: () => Promise<number>
  readonly drain: (wanted: WantedSnapshot, signal: AbortSignal) => Promise<DrainOutcome>
  readonly file: (found: Case) => void
  /**
   * Reports the result of comparing the drained snapshot with the names that the mirror followed update by
   * update.
   * @param at the record time of the snapshot: milliseconds since 1970.
   */
  readonly reconciled: (at: number, outcome: Reconciliation['kind']) => void
  /** Returns the present time: milliseconds since 1970. */
  readonly wall: () => number
  /**
   * Called after each attempt to drain and take a snapshot. `report` is undefined if no snapshot was drained,
   * or if the roster changed during the drain. `why` is a sentence that says why the mirror took no set; it is
   * absent if the outcome explains itself.
   */
  readonly ended: (outcome: DrainAndTakeOutcome, report: DrainReport | undefined, why?: string) => void
}

/**
 * Checks the version of the name-service package in the agreed `AmuletRules`. While this release does not
 * know the version, the mirror answers nothing.
 * @returns the sentence that says why the mirror answers nothing; undefined if the version is known.
 */
export async function guardPackage({ mirror, rules }: DrainAndTakeDeps): Promise<string | undefined> {
  const why = packageProblem(await rules())
  mirror.judgePackage(why)
  return why
}

/**
 * Drains one snapshot, and lets the mirror take the agreed set of names if `judgeSet` accepts it. Rejects
 * only when the signal aborts.
 * @param at the record time of the snapshot: milliseconds since 1970.
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
    return judge(await deps.drain({ at, migrationId }, signal), at, deps)
  } catch (error) {
    if (signal.aborted) throw error
    return end(deps, 'failed', undefined, error instanceof Error ? error.message : String(error))
  }
}

function judge(outcome: DrainOutcome, at: number, deps: DrainAndTakeDeps): DrainEnd {
  if ('evidence' in outcome && outcome.evidence !== undefined) deps.file(outcome.evidence)
  if (outcome.kind === 'agreed') return judgeSet(outcome.set, outcome.report, deps)
  if (outcome.kind === 'too-many-entries') deps.mirror.stop({ kind: 'entries', most: deps.maxEntries })
  if (outcome.kind === 'too-many-others') deps.mirror.stop({ kind: 'others' })
  const report = 'report' in outcome ? outcome.report : undefined
  return end(deps, outcome.kind, report, drainSentence(outcome, at, deps.maxEntries))
}

/**
 * Lets the mirror take an agreed set of names, or rejects the set for one of these reasons:
 * - It contradicts the followed updates.
 * - It lacks too many unexpired entries of the mirror's present set (`isContinuous`). This is checked only if
 *   both sets have the same DSO, and the present roster supports the present set.
 * - It is older than the present set, or has too many entries (`Mirror.take`).
 * Unexpired entries that a taken set lacks count as contradicted (`Mirror.contradicted`).
 */
function judgeSet(set: AgreedSet, report: DrainReport, deps: DrainAndTakeDeps): DrainEnd {
  const { mirror } = deps
  const reconciliation = mirror.reconcile(set)
  deps.reconciled(set.at, reconciliation.kind)
  if (reconciliation.kind === 'different') {
    deps.file(reconciliationCase(set, reconciliation.difference, deps.wall()))
    mirror.unreconciled(set.at)
    return end(deps, 'unreconciled', report)
  }
  const former = mirror.set?.dso === set.dso ? mirror.set : undefined
  const continuity = former && continuityOf(former.entries, set.entries, set.at)
  if (continuity !== undefined && !isContinuous(continuity) && mirror.isAgreed()) {
    mirror.refuse(continuity.withdrawn, set.agreement)
    return end(deps, 'withdrawn', report)
  }
  const taken = mirror.take(set, continuity?.withdrawn)
  return taken === 'older'
    ? end(deps, 'failed', report, 'The mirror has a later set.')
    : end(deps, taken, report)
}

const ends: Readonly<Record<DrainAndTakeOutcome, DrainEnd>> = {
  taken: 'taken',
  withdrawn: 'refused',
  unreconciled: 'refused',
  'too-many-entries': 'refused',
  'too-many-others': 'refused',
  'not-yet': 'again',
  disputed: 'again',
  unreachable: 'again',
  'roster-changed': 'again',
  package: 'again',
  failed: 'again',
}

function end(
  { ended }: DrainAndTakeDeps,
  outcome: DrainAndTakeOutcome,
  report: DrainReport | undefined,
  why?: string,
): DrainEnd {
  ended(outcome, report, why)
  return ends[outcome]
}
