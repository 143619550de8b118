import { electorateOf } from '../quorum/electorate.ts'
import { standingOf, type ThresholdStanding } from '../quorum/standing.ts'
import type { ThresholdRule } from '../quorum/threshold.ts'
import type { Roster } from '../scan/roster.ts'
import type { SeedState } from '../scan/roster-polls.ts'

export interface Probe {
  readonly reachable: boolean
  /**
   * The time from the request to the response. For a reachable scan, it does not include the time
   * to open a connection.
   */
  readonly latencyMs: number | null
  readonly version: string | null
  readonly fault: string | null
}

export interface RosterReport {
  /** `seeds` means that no roster is agreed, so the report describes the configured seeds. */
  readonly source: 'agreed' | 'seeds'
  readonly problem?: string
  readonly seeds?: readonly SeedState[]
  readonly dso: string
  readonly synchronizer: string
  readonly voters: number
  readonly tolerated: number
  readonly superValidators: readonly ({
    readonly names: readonly string[]
    readonly operator: string | null
    readonly url: string | null
  } & Probe)[]
  readonly thresholds: Readonly<Record<'f+1' | '2f+1' | 'configured', ThresholdStanding>>
}

/**
 * Without an agreed roster, no threshold may be reported as met: the super validators may be more
 * than the seeds.
 */
export function withoutRoster(report: Omit<RosterReport, 'source'>): Omit<RosterReport, 'source'> {
  const { 'f+1': proof, '2f+1': strong, configured } = report.thresholds
  const unmet = (standing: ThresholdStanding) => ({ ...standing, holds: false })
  return {
    ...report,
    thresholds: { 'f+1': unmet(proof), '2f+1': unmet(strong), configured: unmet(configured) },
  }
}

export function reportOf(
  roster: Roster,
  probes: readonly Probe[],
  configured: ThresholdRule,
): Omit<RosterReport, 'source'> {
  const { set, voters } = roster
  const { superValidators, operators } = roster.electorate()
  const reachable = voters.flatMap((_, at) => (probes[at]?.reachable ? [at] : []))
  const standing = (rule: ThresholdRule) => standingOf(electorateOf(voters, rule, operators?.n), reachable)
  return {
    dso: set.dso,
    synchronizer: set.synchronizer,
    voters: superValidators.n,
    tolerated: superValidators.f,
    superValidators: voters.map((voter, at) => ({
      names: voter.names,
      operator: voter.configuredOperator,
      url: voter.place?.url ?? null,
      ...(probes[at] as Probe),
    })),
    thresholds: {
      'f+1': standing('f+1'),
      '2f+1': standing('2f+1'),
      configured: standing(configured),
    },
  }
}
