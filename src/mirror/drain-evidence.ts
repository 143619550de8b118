import { cacheKey } from '../cache/key.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import { companions, dissenters, testimonies } from '../quorum/dissenters.ts'
import { hasHonest } from '../quorum/threshold-met.ts'
import type { Params } from '../reads/read.ts'
import { bodyParam } from '../reads/request.ts'
import { getAcsSnapshotAtV1 } from '../reads/snapshots.ts'
import { type Case, longestBody, repliesIn } from '../scan/evidence-log.ts'
import { heardOf, namesOf, type QuorumDrainResult } from './drain-report.ts'
import { bodyOf } from './scan-drain.ts'
import type { SnapshotAsked } from './snapshot-page.ts'
import type { SnapshotSet } from './snapshot-set.ts'

export function paramsOf(asked: SnapshotAsked): Params {
  return { [bodyParam]: canonicalJson(bodyOf(asked)) }
}

/**
 * Makes the evidence of what each scan gave when the daemon read one snapshot from several scans.
 * The daemon does not ask a dissenting scan again: all scans were asked for the same record time, so
 * lag cannot explain a difference.
 */
export function evidenceOf(drained: QuorumDrainResult, asked: SnapshotAsked, wall: number): Case {
  const { electorate, verdict } = drained
  const heard = heardOf(drained)
  const agreed = verdict.kind === 'agreed' && verdict.on === 'value' ? verdict.vote : null
  const against = dissenters(verdict, heard).map((voter) => {
    const isSplit = hasHonest(electorate, companions(verdict, heard, voter))
    return [voter, isSplit ? 'split' : 'dissent'] as const
  })
  return {
    at: new Date(wall).toISOString(),
    read: getAcsSnapshotAtV1.id,
    params: digest(cacheKey('', getAcsSnapshotAtV1.id, paramsOf(asked))),
    outcome: verdict.kind,
    rule: verdict.rule,
    agreed,
    ...repliesIn(testimonies(electorate, heard), (kind, vote) => ({
      digest: vote,
      body: kind === 'value' ? statementOf(drained, vote, agreed) : refusalOf(vote),
    })),
    dissent: Object.fromEntries(
      against.flatMap(([voter, filing]) => namesOf(drained, [voter]).map((name) => [name, filing])),
    ),
  }
}

/**
 * Describes one set of contracts as JSON: its size, and the contracts by which it differs from the
 * agreed set.
 */
function statementOf(drained: QuorumDrainResult, vote: string, agreed: string | null): string {
  const set = setOf(drained, vote) as SnapshotSet
  const truth = agreed === null ? undefined : setOf(drained, agreed)
  const differences = truth === undefined || truth === set ? {} : differencesOf(set, truth)
  return JSON.stringify({ contracts: set.size, ...differences }).slice(0, longestBody)
}

function refusalOf(why: string): string {
  return JSON.stringify({ error: why })
}

export function setOf({ drains }: Pick<QuorumDrainResult, 'drains'>, vote: string): SnapshotSet | undefined {
  return drains.find((drain) => drain?.reply.kind === 'value' && drain.reply.vote === vote)?.set
}

const mostListed = 100

function differencesOf(set: SnapshotSet, truth: SnapshotSet) {
  const missing: string[] = []
  const untrue: unknown[] = []
  for (const { contractId } of truth.rows())
    if (missing.length < mostListed && set.find(contractId) === undefined) missing.push(contractId)
  for (const { contractId, text } of set.rows())
    if (untrue.length < mostListed && truth.find(contractId)?.text !== text) untrue.push(parseJsonText(text))
  return { missing, untrue }
}
