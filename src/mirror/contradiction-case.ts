import type { Agreement } from '../cache/agreement.ts'
import { cacheKey } from '../cache/key.ts'
import { canonicalJson, type Json } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { Case, CaseStatement } from '../scan/evidence-log.ts'
import type { MirroredName } from './mirrored-names.ts'

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
export function contradictionCase(row: MirroredName, by: Contradicting, options: CaseOptions): Case {
  const { name } = row.entry
  const params = { name }
  const said = statementOf(by.entry, name, by.agreement.agreed)
  return {
    at: new Date(options.wall).toISOString(),
    read: lookupAnsEntryByName.id,
    params: digest(cacheKey('', lookupAnsEntryByName.id, params)),
    ...(options.keepsQuestions && { question: params }),
    outcome: 'agreed',
    rule: options.rule,
    agreed: said.digest,
    statements: [said, statementOf(row.entry, name, row.source.agreement.agreed)],
    silent: [],
    dissent: {},
  }
}

function statementOf(entry: MirroredEntry | undefined, name: string, who: readonly string[]): CaseStatement {
  const value: Json =
    entry === undefined ? { error: `No ans entry found for name: ${name}` } : { entry: { ...entry } }
  const body = canonicalJson(value)
  return { kind: entry === undefined ? 'refusal' : 'value', digest: digest(body), body, who: [...who] }
}
