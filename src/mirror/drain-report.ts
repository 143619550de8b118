import type { Clock } from '../lib/clock.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { dissenters } from '../quorum/evidence.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Roster } from '../scan/roster.ts'
import type { ScanDrain } from './scan-drain.ts'

/** Super validators that gave the same set. */
export interface DrainedAlike {
  readonly digest: string
  readonly who: readonly string[]
}

/** The outcome of the drain of one super validator's scan. */
export interface DrainedScan {
  readonly names: readonly string[]
  /** The digest of its set; undefined if it gave none. */
  readonly digest: string | undefined
  /** The contracts of its set: names, rules and requests for names. */
  readonly contracts: number | undefined
  /** Decoded bytes of all pages. */
  readonly bytes: number
  readonly seconds: number
  /** Why it gave no set. */
  readonly why: string | undefined
}

/** The course of a drain. */
export interface DrainReport {
  /** All decoded bytes of all scans that were heard. */
  readonly bytes: number
  readonly seconds: number
  /**
   * Milliseconds after the grid instant by which as many scans as the threshold were seen to have the snapshot. Undefined
   * if fewer had it.
   */
  readonly availableAfterMs: number | undefined
  /** The sets that scans gave, the most frequent first. */
  readonly digests: readonly DrainedAlike[]
  /** Whether all scans that gave a set gave the same. */
  readonly alike: boolean
  /** Super validators whose set contradicts the agreed one. */
  readonly dissenters: readonly string[]
  /** Super validators without a set, and why. */
  readonly silent: Case['silent']
  /** Each super validator of the roster. */
  readonly scans: readonly DrainedScan[]
}

/** The decision about one snapshot, and what it is made of. */
export interface Drained {
  readonly at: number
  readonly roster: Roster
  readonly electorate: Electorate
  readonly verdict: Verdict
  /** What each scan gave that was heard before the decision, by voter index. */
  readonly drains: readonly (ScanDrain | undefined)[]
}

/** @param started the value of `Clock.now()` at which the drain began. */
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

function scansOf({ roster, drains }: Drained): readonly DrainedScan[] {
  return roster.voters.map(({ names }, voter) => {
    const drain = drains[voter]
    const { reply, set, bytes = 0, seconds = 0 } = drain ?? {}
    if (reply?.kind === 'value')
      return { names, digest: reply.vote, contracts: set?.size, bytes, seconds, why: undefined }
    const why = reply === undefined ? 'unreachable' : whyNone(reply)
    return { names, digest: undefined, contracts: undefined, bytes, seconds, why }
  })
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
