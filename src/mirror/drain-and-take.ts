import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import type { AmuletRules } from '../reads/dso.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { AgreedSet } from './agreed-set.ts'
import { continuityIn, isContinuous } from './continuity.ts'
import { reconciliationCase } from './contradictions.ts'
import type { DrainReport } from './drain-report.ts'
import type { DrainEnd } from './drain-schedule.ts'
import type { Reconciliation } from './ledger-names.ts'
import type { Mirror } from './mirror.ts'
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

interface AuditedVersions {
  readonly versions: readonly string[]
  readonly because: string
}

/**
 * The versions of the package `splice-amulet-name-service` with which a binding holds: nobody can
 * end an entry before it expires, except its owner and the DSO together.
 * docs/mirror.md#audit-a-version-of-the-name-service says how to find the reason for another one.
 */
export const auditedVersions: readonly AuditedVersions[] = [
  {
    versions: Array.from({ length: 23 }, (_, patch) => `0.1.${patch}`),
    because:
      '`AnsEntry` is signed by its owner and the DSO, has the choices `AnsEntry_Expire` (after `expiresAt` only) and `AnsEntry_Renew` (both together), and implements no interface',
  },
  {
    versions: ['0.1.23'],
    because: 'Splice 0.7.5: `AnsEntry` as before',
  },
  {
    versions: ['0.1.24'],
    because:
      'Splice 0.8.0: `AnsEntry` as before; the package depends on no credentials package, so `AnsEntry` cannot implement `Credential`, whose `Credential_ArchiveAsHolder` is for the owner alone',
  },
]

const newestAudited = auditedVersions.at(-1)?.versions.at(-1) as string

/**
 * Says why the mirror must serve nothing while the ledger has these rules.
 * @param further versions that the operator audited (`mirror.packages`).
 */
export function packageProblem(
  { amulet_rules_update: { contract } }: AmuletRules,
  further: readonly string[] = [],
): string | undefined {
  const said = versionsIn(contract.payload)
  if (said === undefined)
    return 'The agreed AmuletRules state no version of the name-service package, so nobody knows who may end a name.'
  const known = [...auditedVersions.flatMap(({ versions }) => versions), ...further]
  const unknown = said.find((version) => !known.includes(version))
  if (unknown === undefined) return undefined
  return `The agreed AmuletRules use version ${unknown.slice(0, 32)} of the name-service package, which this release does not know (newest: ${newestAudited}). Take a newer release, or audit the version as docs/mirror.md says and add it to mirror.packages.`
}

/**
 * Returns the versions of the name-service package that `AmuletRules` state: the version in force
 * and, with older releases of Splice, the versions scheduled for later. Returns undefined if a
 * version cannot be read.
 */
function versionsIn(payload: { readonly [key: string]: Json }): readonly string[] | undefined {
  const { configSchedule } = payload
  if (!isJsonObject(configSchedule)) return undefined
  const { initialValue, futureValues = [] } = configSchedule
  if (!Array.isArray(futureValues)) return undefined
  const scheduled = futureValues.map((value: Json) => (isJsonObject(value) ? (value['_2'] ?? null) : null))
  const versions = [initialValue ?? null, ...scheduled].map(versionIn)
  return versions.every((version) => version !== undefined) ? versions : undefined
}

function versionIn(config: Json): string | undefined {
  const packages = isJsonObject(config) ? config['packageConfig'] : undefined
  const version = isJsonObject(packages) ? packages['amuletNameService'] : undefined
  return typeof version === 'string' ? version : undefined
}

export type FailedDrain = Exclude<DrainOutcome, { readonly kind: 'agreed' }>

export function drainSentence(outcome: FailedDrain, at: number, most: number): string {
  const asOf = drainedTime(at)
  switch (outcome.kind) {
    case 'not-yet':
      return `Too few super validators have the snapshot of ${asOf} yet. Most have it some minutes after that time.`
    case 'path-unknown':
      return outcome.why
    case 'disputed':
      return `The super validators do not agree on the snapshot of ${asOf}.`
    case 'too-many-entries':
      return `The snapshot of ${asOf} has more than ${most} names, which is mirror.maxEntries.`
    case 'too-many-others':
      return `The snapshot of ${asOf} has many DsoRules contracts, of which a network has one.`
    case 'unreachable':
      return `Too few super validators gave the snapshot of ${asOf}: ${outcome.why}.`
    case 'roster-changed':
      return 'The super validators or the thresholds changed during the drain.'
  }
}

export function drainedTime(at: number): string {
  return new Date(at).toISOString().replace(/\.000Z$/, 'Z')
}
