import { canonicalJson, type Json } from '../base/lib/canonical-json.ts'
import { digest } from '../base/lib/digest.ts'
import type { Agreement } from '../core/cache/agreement.ts'
import { cacheKey } from '../core/cache/key.ts'
import { lookupAnsEntryByName } from '../core/reads/ans.ts'
import type { Params, Read } from '../core/reads/read.ts'
import { getAcsSnapshotAtV1 } from '../core/reads/snapshots.ts'
import { type Case, type CaseStatement, longestBody } from '../core/scan/evidence-log.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { SetDifference } from './ledger-names.ts'
import type { MirroredEntry } from './mirrored-contracts.ts'
import type { Binding } from './taken-set.ts'

const mostListed = 50

export interface Contradicting {
  readonly entry: MirroredEntry | undefined
  readonly agreement: Pick<Agreement, 'agreed'>
}

export interface CaseOptions {
  readonly wall: number
  /**
   * False keeps the parameters of the read out of the evidence. The bodies in the evidence still
   * contain the name.
   */
  readonly keepsQuestions: boolean
  /**
   * Says why the evidence is filed: a sentence without its full stop, such as
   * `a spot check contradicts the mirror`.
   */
  readonly rule: string
}

/**
 * Makes the evidence that one quorum agreed on a mirrored entry, and a later quorum contradicted the
 * entry. The evidence blames no super validator.
 */
export function contradictionCase(
  { held: { entry }, agreement }: Pick<Binding, 'held' | 'agreement'>,
  by: Contradicting,
  { wall, keepsQuestions, rule }: CaseOptions,
): Case {
  const params = { name: entry.name }
  const statement = (found: MirroredEntry | undefined, { agreed }: Contradicting['agreement']) =>
    statementOf(
      found === undefined ? { error: `No ans entry found for name: ${entry.name}` } : { entry: { ...found } },
      agreed,
    )
  const said = statement(by.entry, by.agreement)
  return {
    ...blamingNobody(lookupAnsEntryByName, params, wall),
    ...(keepsQuestions && { question: params }),
    outcome: 'agreed',
    rule,
    agreed: said.digest,
    statements: [said, statement(entry, agreement)],
  }
}

/**
 * Makes the evidence that a snapshot and the followed updates give different names. The evidence
 * blames no super validator, because a quorum agreed on the snapshot and on each page of updates.
 */
export function reconciliationCase(
  { at, agreement }: AgreedSet,
  { followed, drained }: SetDifference,
  wall: number,
): Case {
  const params = { at: new Date(at).toISOString() }
  const statement = (source: string, entries: readonly MirroredEntry[], who: readonly string[]) => {
    const only = entries.slice(0, mostListed).map((entry) => ({ ...entry }))
    return statementOf({ source, count: entries.length, only }, who)
  }
  return {
    ...blamingNobody(getAcsSnapshotAtV1, params, wall),
    outcome: 'disputed',
    rule: 'the updates that were followed and the snapshot do not come to the same names',
    agreed: null,
    statements: [statement('snapshot', drained, agreement.agreed), statement('updates', followed, [])],
  }
}

function blamingNobody({ id }: Read, params: Params, wall: number) {
  const at = new Date(wall).toISOString()
  return { at, read: id, params: digest(cacheKey('', id, params)), silent: [], dissent: {} } as const
}

function statementOf(value: { readonly [key: string]: Json }, who: readonly string[]): CaseStatement {
  const body = canonicalJson(value).slice(0, longestBody)
  return { kind: 'error' in value ? 'refusal' : 'value', digest: digest(body), body, who: [...who] }
}
