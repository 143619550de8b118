import { cacheKey } from '../cache/key.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import { companions, dissenters, testimonies } from '../quorum/dissenters.ts'
import { hasHonest } from '../quorum/tally.ts'
import type { Params } from '../reads/read.ts'
import { bodyParam } from '../reads/request.ts'
import { type SnapshotAsked, type SnapshotRow, textOf } from '../reads/snapshot-page.ts'
import { getAcsSnapshotAtV1 } from '../reads/snapshots.ts'
import { type Case, longestBody, repliesIn } from '../scan/evidence-log.ts'
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
export function evidenceOf(
  drained: QuorumDrainResult,
  asked: SnapshotAsked,
  wall: number,
  differences: Differences = new Map(),
): Case {
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
      body: kind === 'value' ? statementOf(drained, vote, differences) : refusalOf(vote),
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
function statementOf({ drains }: QuorumDrainResult, vote: string, differences: Differences): string {
  const drain = drains.find((one) => one?.reply.kind === 'value' && one.reply.vote === vote)
  const contracts = drain?.set?.size
  return JSON.stringify({ contracts, ...differences.get(vote) }).slice(0, longestBody)
}

function refusalOf(why: string): string {
  return JSON.stringify({ error: why })
}

const mostListed = 100

/** By vote, how a set of contracts differs from the agreed set. */
export type Differences = ReadonlyMap<string, { readonly missing: unknown[]; readonly untrue: unknown[] }>

export function* differenceFrom(truth: readonly SnapshotRow[], rows: readonly SnapshotRow[]) {
  const missing = new Map<string, string>()
  const untrue: unknown[] = []
  for (const row of truth) {
    missing.set(row.contractId, textOf(row))
    yield
  }
  for (const row of rows) {
    const text = textOf(row)
    if (untrue.length < mostListed && missing.get(row.contractId) !== text) untrue.push(parseJsonText(text))
    missing.delete(row.contractId)
    yield
  }
  return { missing: [...missing.keys().take(mostListed)], untrue }
}
