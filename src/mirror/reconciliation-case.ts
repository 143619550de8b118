import { cacheKey } from '../cache/key.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import { getAcsSnapshotAtV1 } from '../reads/snapshots.ts'
import { type Case, type CaseStatement, longestBody } from '../scan/evidence-log.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { SetDifference } from './compare-sets.ts'

const mostListed = 50

/**
 * Makes the evidence that a snapshot and the followed updates give different names. The evidence
 * blames no super validator, because a quorum agreed on the snapshot and on each page of updates.
 */
export function reconciliationCase(
  { at, agreement }: AgreedSet,
  { onlyInFirst, onlyInSecond }: SetDifference,
  wall: number,
): Case {
  const params = { at: new Date(at).toISOString() }
  const drained = statementOf('snapshot', onlyInSecond, agreement.agreed)
  return {
    at: new Date(wall).toISOString(),
    read: getAcsSnapshotAtV1.id,
    params: digest(cacheKey('', getAcsSnapshotAtV1.id, params)),
    outcome: 'disputed',
    rule: 'the updates that were followed and the snapshot do not come to the same names',
    agreed: null,
    statements: [drained, statementOf('updates', onlyInFirst, [])],
    silent: [],
    dissent: {},
  }
}

function statementOf(
  source: string,
  entries: readonly MirroredEntry[],
  who: readonly string[],
): CaseStatement {
  const only = entries.slice(0, mostListed).map((entry) => ({ ...entry }))
  const body = canonicalJson({ source, count: entries.length, only }).slice(0, longestBody)
  return { kind: 'value', digest: digest(body), body, who: [...who] }
}
