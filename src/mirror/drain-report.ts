import { byName } from '../base/lib/by-name.ts'
import type { Clock } from '../base/lib/clock.ts'
import { digest } from '../base/lib/digest.ts'
import { cacheKey } from '../core/cache/key.ts'
import { companions, dissenters, testimonies } from '../core/quorum/dissenters.ts'
import type { Electorate } from '../core/quorum/electorate.ts'
import type { Reply } from '../core/quorum/reply.ts'
import { hasHonest } from '../core/quorum/tally.ts'
import type { Verdict } from '../core/quorum/verdict.ts'
import { getAcsSnapshotAtV1 } from '../core/reads/snapshots.ts'
import { type Case, repliesIn } from '../core/scan/evidence-log.ts'
import type { Roster } from '../core/scan/roster.ts'
import { paramsOf, type ScanDrain } from './scan-drain.ts'
import type { SnapshotAsked } from './snapshot-page.ts'

export interface DrainedAlike {
  readonly digest: string
  readonly who: readonly string[]
}

/**
 * `none` means that the scan gave no whole set of contracts. `not-ended` means that the quorum was
 * decided before the scan had sent its whole set.
 */
export type ScanOutcome = 'set' | 'none' | 'not-asked' | 'not-ended'

export interface DrainedScan {
  readonly names: readonly string[]
  readonly outcome: ScanOutcome
  readonly digest: string | null
  readonly contracts: number | null
  readonly bytes: number
  readonly seconds: number
  readonly why: string | null
}

export interface DrainReport {
  /**
   * The decompressed bytes from all scans whose drains had ended when the quorum decided. A drain
   * reads one scan's whole snapshot.
   */
  readonly bytes: number
  readonly seconds: number
  /**
   * The time from the snapshot's record time until enough scans for the threshold had sent their
   * first page. Undefined if too few scans sent a page.
   */
  readonly availableAfterMs: number | undefined
  readonly digests: readonly DrainedAlike[]
  readonly dissenters: readonly string[]
  readonly scans: readonly DrainedScan[]
}

/**
 * The result of reading one snapshot from several scans. `drains` is indexed by voter: a drain that
 * had not ended when the quorum decided is undefined.
 * `begun` has the indexes of the voters whose drains had begun.
 */
export interface QuorumDrainResult {
  readonly at: number
  readonly roster: Roster
  readonly electorate: Electorate
  readonly verdict: Verdict
  readonly drains: readonly (ScanDrain | undefined)[]
  readonly begun: ReadonlySet<number>
}

export function reportOf(drained: QuorumDrainResult, started: number, clock: Clock): DrainReport {
  const { at, electorate, verdict, drains } = drained
  const seen = drains.flatMap((drain) => drain?.seenAt ?? []).sort((a, b) => a - b)
  const availableAt = seen[electorate.superValidators.threshold - 1]
  const digests = digestsOf(drained)
  return {
    bytes: drains.reduce((sum, drain) => sum + (drain?.bytes ?? 0), 0),
    seconds: (clock.now() - started) / 1000,
    availableAfterMs: availableAt === undefined ? undefined : availableAt - at,
    digests,
    dissenters: namesOf(drained, dissenters(verdict, heardOf(drained))),
    scans: scansOf(drained),
  }
}

function heardOf({ drains }: QuorumDrainResult) {
  return drains.map((drain) => drain?.reply)
}

function namesOf({ roster }: QuorumDrainResult, voters: readonly number[]): readonly string[] {
  return voters.flatMap((voter) => roster.voters[voter]?.names ?? []).sort(byName)
}

function digestsOf(drained: QuorumDrainResult): readonly DrainedAlike[] {
  const groups = new Map<string, number[]>()
  for (const [voter, reply] of heardOf(drained).entries())
    if (reply?.kind === 'value') groups.set(reply.vote, [...(groups.get(reply.vote) ?? []), voter])
  return [...groups]
    .map(([digest, voters]) => ({ digest, who: namesOf(drained, voters) }))
    .sort((a, b) => b.who.length - a.who.length || (a.digest < b.digest ? -1 : 1))
}

function scansOf({ roster, drains, begun }: QuorumDrainResult): readonly DrainedScan[] {
  return roster.voters.map(({ names, place }, voter) => {
    const drain = drains[voter]
    if (drain !== undefined) return { names, ...scanOf(drain) }
    const nothing = { names, digest: null, contracts: null, bytes: 0, seconds: 0 }
    // A super validator without a usable URL cannot be asked.
    if (place === undefined) return { ...nothing, outcome: 'none', why: 'unreachable' }
    return { ...nothing, outcome: begun.has(voter) ? 'not-ended' : 'not-asked', why: null }
  })
}

function scanOf({ reply, set, bytes, seconds }: ScanDrain): Omit<DrainedScan, 'names'> {
  if (reply.kind !== 'value')
    return { outcome: 'none', digest: null, contracts: null, bytes, seconds, why: whyNone(reply) }
  return { outcome: 'set', digest: reply.vote, contracts: set?.size ?? null, bytes, seconds, why: null }
}

function whyNone(reply: Exclude<Reply, { kind: 'value' }>): string {
  switch (reply.kind) {
    case 'fault':
      return reply.fault
    case 'abstention':
      return reply.reason
    case 'refusal':
      return reply.vote
  }
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
