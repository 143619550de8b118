import type { Clock } from '../lib/clock.ts'
import { dissenters } from '../quorum/dissenters.ts'
import type { Electorate } from '../quorum/electorate.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Roster } from '../scan/roster.ts'
import type { ScanDrain } from './scan-drain.ts'

/** The digest of a drained set of contracts, and the super validators whose scans gave that set. */
export interface DrainedAlike {
  readonly digest: string
  readonly who: readonly string[]
}

/**
 * The outcome of draining one scan.
 * - `set`: the scan gave a whole set of contracts.
 * - `none`: the scan gave no such set, and `why` tells the reason.
 * - `not-asked`: the drain of the scan never began.
 * - `not-ended`: the drain of the scan had not ended when the quorum was decided.
 */
export type ScanOutcome = 'set' | 'none' | 'not-asked' | 'not-ended'

/** The outcome of draining one super validator's scan. */
export interface DrainedScan {
  readonly names: readonly string[]
  readonly outcome: ScanOutcome
  /** The digest of the set of contracts; undefined if the scan gave none. */
  readonly digest: string | undefined
  /**
   * The number of contracts in the set: entries, and the rules of the name service and of the DSO. Undefined
   * if the scan gave no set.
   */
  readonly contracts: number | undefined
  /** The bytes of all pages, after decompression. 0 if this drain had not ended at the decision. */
  readonly bytes: number
  readonly seconds: number
  /** The reason for the outcome `none`; undefined for other outcomes. */
  readonly why: string | undefined
}

/** The results and measurements of a drain by quorum. */
export interface DrainReport {
  /** The decompressed bytes that scans sent. Drains that had not ended at the decision do not count. */
  readonly bytes: number
  readonly seconds: number
  /**
   * The milliseconds from the record time of the snapshot until enough scans for the threshold had sent their
   * first page. Undefined if too few scans sent a page.
   */
  readonly availableAfterMs: number | undefined
  /** The different sets of contracts that scans gave. The set that most super validators gave comes first. */
  readonly digests: readonly DrainedAlike[]
  /** Whether all sets of contracts that scans gave are equal. Also true if no scan gave one. */
  readonly alike: boolean
  /** The super validators whose vote contradicts what was agreed. Empty without agreement. */
  readonly dissenters: readonly string[]
  /** The super validators that abstained or failed, with the reasons. */
  readonly silent: Case['silent']
  /** The outcomes for all voters, in the order of the roster. */
  readonly scans: readonly DrainedScan[]
}

/** The result of a drain by quorum: the verdict on the snapshot, and the drains of single scans. */
export interface Drained {
  readonly at: number
  readonly roster: Roster
  readonly electorate: Electorate
  readonly verdict: Verdict
  /** The drains by voter index. Undefined for a voter whose drain had not ended at the decision. */
  readonly drains: readonly (ScanDrain | undefined)[]
  /** The indexes of the voters whose drain began. */
  readonly begun: ReadonlySet<number>
}

/**
 * Makes the report of a drain.
 * @param started the value of `Clock.now()` at which the drain began.
 */
export function reportOf(drained: Drained, started: number, clock: Clock): DrainReport {
  const { at, electorate, verdict, drains } = drained
  const seen = drains.flatMap((drain) => drain?.seenAt ?? []).sort((a, b) => a - b)
  const availableAt = seen[electorate.superValidators.threshold - 1]
  const digests = digestsOf(drained)
  return {
    bytes: drains.reduce((sum, drain) => sum + (drain?.bytes ?? 0), 0),
    seconds: (clock.now() - started) / 1000,
    availableAfterMs: availableAt === undefined ? undefined : availableAt - at,
    digests,
    alike: digests.length <= 1,
    dissenters: namesOf(drained, dissenters(verdict, heardOf(drained))),
    silent: silentOf(drained),
    scans: scansOf(drained),
  }
}

export function heardOf({ drains }: Drained) {
  return drains.map((drain) => drain?.reply)
}

export function namesOf({ roster }: Drained, voters: readonly number[]): readonly string[] {
  return voters.flatMap((voter) => roster.voters[voter]?.names ?? []).sort()
}

function digestsOf(drained: Drained): readonly DrainedAlike[] {
  const groups = new Map<string, number[]>()
  for (const [voter, reply] of heardOf(drained).entries())
    if (reply?.kind === 'value') groups.set(reply.vote, [...(groups.get(reply.vote) ?? []), voter])
  return [...groups]
    .map(([digest, voters]) => ({ digest, who: namesOf(drained, voters) }))
    .sort((a, b) => b.who.length - a.who.length || (a.digest < b.digest ? -1 : 1))
}

function silentOf(drained: Drained): Case['silent'] {
  return heardOf(drained).flatMap((reply, voter) => {
    if (reply === undefined || reply.kind === 'value' || reply.kind === 'refusal') return []
    return [{ kind: reply.kind, what: whyNone(reply), who: namesOf(drained, [voter]) }]
  })
}

function scansOf({ roster, drains, begun }: Drained): readonly DrainedScan[] {
  return roster.voters.map(({ names, place }, voter) => {
    const drain = drains[voter]
    if (drain !== undefined) return { names, ...scanOf(drain) }
    const nothing = { names, digest: undefined, contracts: undefined, bytes: 0, seconds: 0 }
    // A super validator without a usable URL cannot be asked at all.
    if (place === undefined) return { ...nothing, outcome: 'none', why: 'unreachable' }
    return { ...nothing, outcome: begun.has(voter) ? 'not-ended' : 'not-asked', why: undefined }
  })
}

function scanOf({ reply, set, bytes, seconds }: ScanDrain): Omit<DrainedScan, 'names'> {
  if (reply.kind === 'value')
    return { outcome: 'set', digest: reply.vote, contracts: set?.size, bytes, seconds, why: undefined }
  const why = whyNone(reply)
  return { outcome: 'none', digest: undefined, contracts: undefined, bytes, seconds, why }
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
