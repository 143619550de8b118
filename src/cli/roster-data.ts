import { electorateOf, meets, operatorsOf } from '../quorum/electorate.ts'
import type { ThresholdRule } from '../quorum/threshold.ts'
import type { Roster, RosterVoter } from '../scan/roster.ts'

/** The state of one voter's scan, as seen from this machine. */
export interface Probe {
  readonly reachable: boolean
  /** Latency of an ask over an open connection. Null if there was none. */
  readonly latencyMs: number | null
  /** The release that the scan reports. */
  readonly version: string | null
  /** The problem of the scan, or null. */
  readonly fault: string | null
}

/** Whether the reachable super validators are enough for a threshold. */
export interface RosterStanding {
  readonly needed: number
  readonly reachable: number
  /** These count operators instead of scans. They are absent if no operators are configured. */
  readonly operators?: { readonly needed: number; readonly reachable: number }
  readonly holds: boolean
}

/** The result of `roster`, in the form that `--json` prints. */
export interface RosterReport {
  /** `agreed`, or `seeds`: no roster is agreed, and the report describes the configured seeds. */
  readonly source: 'agreed' | 'seeds'
  /** Why no roster is agreed, and the answer of each seed. */
  readonly problem?: string
  readonly seedAnswers?: Readonly<Record<string, string>>
  readonly dso: string
  readonly synchronizer: string
  readonly voters: number
  readonly tolerated: number
  readonly superValidators: readonly ({
    readonly names: readonly string[]
    readonly operator: string | null
    readonly url: string | null
  } & Probe)[]
  readonly thresholds: Readonly<Record<'f+1' | '2f+1' | 'configured', RosterStanding>>
}

export function reportOf(
  roster: Roster,
  probes: readonly Probe[],
  configured: ThresholdRule,
): Omit<RosterReport, 'source'> {
  const { set, voters } = roster
  const { superValidators, operators } = roster.electorate()
  const standing = (rule: ThresholdRule) => standingOf(voters, rule, operators?.n, probes)
  return {
    dso: set.dso,
    synchronizer: set.synchronizer,
    voters: superValidators.n,
    tolerated: superValidators.f,
    superValidators: voters.map((voter, at) => ({
      names: voter.names,
      operator: /^operator (.*)$/s.exec(voter.operator)?.[1] ?? null,
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

function standingOf(
  voters: readonly RosterVoter[],
  rule: ThresholdRule,
  operators: number | undefined,
  probes: readonly Probe[],
): RosterStanding {
  const electorate = electorateOf(voters, rule, operators)
  const group = voters.flatMap((_, at) => (probes[at]?.reachable ? [at] : []))
  const found = {
    needed: electorate.superValidators.threshold,
    reachable: group.length,
    holds: meets(electorate, group),
  }
  if (electorate.operators === undefined) return found
  const needed = electorate.operators.threshold
  return { ...found, operators: { needed, reachable: operatorsOf(electorate, group) } }
}
