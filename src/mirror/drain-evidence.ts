import { canonicalJson } from '../base/lib/canonical-json.ts'
import { digest } from '../base/lib/digest.ts'
import { cacheKey } from '../core/cache/key.ts'
import { companions, dissenters, testimonies } from '../core/quorum/dissenters.ts'
import { hasHonest } from '../core/quorum/tally.ts'
import type { Params } from '../core/reads/read.ts'
import { bodyParam } from '../core/reads/request.ts'
import type { SnapshotAsked } from '../core/reads/snapshot-page.ts'
import { getAcsSnapshotAtV1 } from '../core/reads/snapshots.ts'
import { type Case, repliesIn } from '../core/scan/evidence-log.ts'
import { heardOf, namesOf, type QuorumDrainResult } from './drain-report.ts'
import { bodyOf } from './scan-drain.ts'

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
      body: kind === 'value' ? statementOf(drained, vote) : refusalOf(vote),
    })),
    dissent: Object.fromEntries(
      against.flatMap(([voter, filing]) => namesOf(drained, [voter]).map((name) => [name, filing])),
    ),
  }
}

function statementOf({ drains }: QuorumDrainResult, vote: string): string {
  const drain = drains.find((one) => one?.reply.kind === 'value' && one.reply.vote === vote)
  return JSON.stringify({ contracts: drain?.set?.size })
}

function refusalOf(why: string): string {
  return JSON.stringify({ error: why })
}
