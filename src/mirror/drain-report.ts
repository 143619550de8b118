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
  /**
   * The number of contracts in its set: entries, and the rules of the name service and of the DSO. Undefined without a
   * set.
   */
  readonly contracts: number | undefined
  /** The bytes of all pages, after decompression. 0 if the drain did not end before the decision. */
  readonly bytes: number
  readonly seconds: number
  /** The reason why it gave no set; undefined if it gave one. */
  readonly why: string | undefined
}

/** The course of a drain. */
export interface DrainReport {
  /** The bytes that all scans sent whose drains had ended, after decompression. */
  readonly bytes: number
  readonly seconds: number
  /**
   * Milliseconds after the grid instant by which as many scans as the threshold were seen to have the snapshot.
   * Undefined if fewer had it.
   */
  readonly availableAfterMs: number | undefined
  /** The sets that scans gave, the most frequent first. */
  readonly digests: readonly DrainedAlike[]
  /** Whether all scans that gave a set gave the same. */
  readonly alike: boolean
  /** Super validators whose set contradicts the agreed one. */
  readonly dissenters: readonly string[]
  /** The super validators that abstained or failed, and why. */
  readonly silent: Case['silent']
  /** One element for each voter of the roster, in its order. */
  readonly scans: readonly DrainedScan[]
}

/** The decision about one snapshot, and the drains that it rests on. */
export interface Drained {
  readonly at: number
  readonly roster: Roster
  readonly electorate: Electorate
  readonly verdict: Verdict
  /** The drains by voter index; undefined for a voter whose drain did not end before the decision. */
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
