import type { AmuletRules } from '../reads/dso.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { DrainOutcome, WantedSnapshot } from './agreed-drain.ts'
import type { AgreedSet } from './agreed-set.ts'
import { continuityOf, isContinuous } from './continuity.ts'
import type { DrainReport } from './drain-report.ts'
import type { Reconciliation } from './following.ts'
import type { Mirror } from './mirror.ts'
import { packageProblem } from './package-guard.ts'
import { reconciliationCase } from './reconciliation-case.ts'
import type { DrainEnd } from './schedule.ts'

/** The outcome of one attempt to take a snapshot. */
export type DrainStepOutcome =
  | Exclude<DrainOutcome['kind'], 'agreed'>
  | 'taken'
  | 'withdrawn'
  | 'unreconciled'
  | 'package'
  | 'failed'

export interface DrainStepDeps {
  readonly mirror: Mirror
  readonly maxEntries: number
  /** Returns the rules that a quorum agrees on. Rejects if there is no agreement. */
  readonly rules: () => Promise<AmuletRules>
  /** Returns the migration that a quorum agrees on. Rejects if there is no agreement. */
  readonly migrationId: () => Promise<number>
  readonly drain: (wanted: WantedSnapshot, signal: AbortSignal) => Promise<DrainOutcome>
  readonly file: (found: Case) => void
  /** Reports how the drained snapshot compared with the followed state. `at` is the grid instant: milliseconds since 1970. */
  readonly reconciled: (at: number, outcome: Reconciliation['kind']) => void
  /** Milliseconds since 1970. */
  readonly wall: () => number
  /** `why` is a sentence; it is absent if the outcome says it all. */
  readonly ended: (outcome: DrainStepOutcome, report: DrainReport | undefined, why?: string) => void
}

/**
 * Checks the package that the agreed rules name. The mirror stops while this release does not know it.
 * @returns the sentence that says why the mirror stops; undefined if the package is known.
 */
export async function guardPackage({ mirror, rules }: DrainStepDeps): Promise<string | undefined> {
  const why = packageProblem(await rules())
  mirror.judgePackage(why)
  return why
}

/** Drains the snapshot of one grid instant, and takes it if it follows from the set before. Rejects on abort only. */
export async function drainStep(at: number, deps: DrainStepDeps, signal: AbortSignal): Promise<DrainEnd> {
  try {
    const unknown = await guardPackage(deps)
    if (unknown !== undefined) return end(deps, 'package', undefined, unknown)
    const migrationId = await deps.migrationId()
    return judge(await deps.drain({ at, migrationId }, signal), deps)
  } catch (error) {
    if (signal.aborted) throw error
    return end(deps, 'failed', undefined, error instanceof Error ? error.message : String(error))
  }
}

function judge(outcome: DrainOutcome, deps: DrainStepDeps): DrainEnd {
  const report = 'report' in outcome ? outcome.report : undefined
  if ('evidence' in outcome && outcome.evidence !== undefined) deps.file(outcome.evidence)
  switch (outcome.kind) {
    case 'agreed':
      return judgeSet(outcome.set, outcome.report, deps)
    case 'too-many-entries':
      deps.mirror.stop({ kind: 'entries', most: deps.maxEntries })
      return end(deps, outcome.kind, report)
    case 'unreachable':
      return end(deps, outcome.kind, report, outcome.why)
    default:
      return end(deps, outcome.kind, report)
  }
}

/** Takes an agreed set if it follows from the former one. A former set of another DSO is not compared with it. */
function judgeSet(set: AgreedSet, report: DrainReport, deps: DrainStepDeps): DrainEnd {
  const { mirror } = deps
  const reconciliation = mirror.reconcile(set)
  deps.reconciled(set.at, reconciliation.kind)
  if (reconciliation.kind === 'different') {
    deps.file(reconciliationCase(set, reconciliation.difference, deps.wall()))
    mirror.unreconciled()
    return end(deps, 'unreconciled', report)
  }
  const former = mirror.set?.dso === set.dso ? mirror.set : undefined
  const continuity = former && continuityOf(former.entries, set.entries, set.at)
  if (continuity !== undefined && !isContinuous(continuity)) {
    mirror.refuse(continuity.withdrawn, set.agreement)
    return end(deps, 'withdrawn', report)
  }
  if (!mirror.take(set, continuity?.withdrawn))
    return end(deps, 'failed', report, 'The mirror has a later set.')
  return end(deps, 'taken', report)
}

const ends: Readonly<Record<DrainStepOutcome, DrainEnd>> = {
  taken: 'taken',
  withdrawn: 'refused',
  unreconciled: 'refused',
  'too-many-entries': 'refused',
  'not-yet': 'again',
  disputed: 'again',
  unreachable: 'again',
  'roster-changed': 'again',
  package: 'again',
  failed: 'again',
}

function end(
  { ended }: DrainStepDeps,
  outcome: DrainStepOutcome,
  report: DrainReport | undefined,
  why?: string,
): DrainEnd {
  ended(outcome, report, why)
  return ends[outcome]
}
