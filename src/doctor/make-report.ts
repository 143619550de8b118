import type { ThresholdRule } from '../base/lib/threshold.ts'
import { electorateOf } from '../core/quorum/electorate.ts'
import { releaseIn } from '../core/reads/releases.ts'
import type { Roster, RosterVoter, Trust } from '../core/scan/roster.ts'
import { addressesToAllow, egressOf } from './egress.ts'
import { findingsOf } from './findings.ts'
import { lettersFor } from './letters.ts'
import { type Observation, unasked } from './observation.ts'
import { confirmedIn, type OtherScans, otherScansOf } from './other-scans.ts'
import type { DoctorReport, ExaminedRoster, ExaminedSuperValidator, ExaminedThreshold } from './report.ts'
import { standingOf } from './standing.ts'
import { quotable } from './texts.ts'
import { verdictOf } from './verdict.ts'

export interface Examined extends Pick<Trust, 'threshold' | 'thresholds'> {
  readonly at: number
  readonly network: string
  readonly roster: Roster
  readonly origin: Omit<ExaminedRoster, 'dso' | 'synchronizer'>
  readonly dsoPartyId?: string
  readonly minimumVoters: number
  readonly egressAddresses: readonly string[]
  readonly observations: ReadonlyMap<string, Observation>
}

const longestId = 255

/**
 * Judges all observations and makes the report from them, without I/O. Equal observations give equal
 * reports.
 */
export function makeReport(examined: Examined): DoctorReport {
  const { roster, origin, network } = examined
  const at = new Date(examined.at).toISOString()
  const seen = roster.voters.map((voter) => observationOf(voter, examined))
  const others = otherScansOf(
    seen,
    { dso: examined.dsoPartyId },
    { voters: roster.size, needed: neededOf(examined) },
  )
  const superValidators = roster.voters.map((voter, index) =>
    superValidatorOf(voter, seen[index] as Observation, others, examined.at),
  )
  const egress = egressOf([...examined.observations.values()], examined.egressAddresses)
  const agreed = isAgreed(origin) ? roster.membership : { dso: '', synchronizer: '' }
  const dso = confirmedIn(others.dso) ?? agreed.dso
  const tolerated = roster.electorate().superValidators.f
  const thresholds = thresholdsOf(examined, superValidators)
  return {
    format: 1,
    at,
    network,
    roster: {
      ...origin,
      dso,
      synchronizer: quotable(confirmedIn(others.synchronizer) ?? agreed.synchronizer, longestId),
    },
    egress,
    superValidators,
    tolerated,
    thresholds,
    verdict: verdictOf({
      roster: { ...origin, ...roster.membership },
      superValidators,
      tolerated,
      thresholds,
      minimumVoters: examined.minimumVoters,
    }),
    letters: lettersFor(superValidators, { addresses: addressesToAllow(egress), dso, at }),
  }
}

/**
 * Returns how many scans must give the same value before the report relies on it: f+1.
 * If too few seeds confirm the list of super validators, that list may be too short, and f too
 * small. The number is then at least `origin.needed`.
 */
function neededOf({ roster, origin }: Examined): number {
  const proof = roster.electorate().superValidators.f + 1
  return isAgreed(origin) ? proof : Math.max(proof, origin.needed)
}

function isAgreed({ source }: Examined['origin']): boolean {
  return source === 'agreed'
}

function observationOf({ place }: RosterVoter, { observations }: Examined): Observation {
  if (place === undefined) return unasked(null, null)
  return observations.get(place.url) ?? unasked(place.url, null)
}

function superValidatorOf(
  { names, configuredOperator }: RosterVoter,
  seen: Observation,
  others: OtherScans,
  at: number,
): ExaminedSuperValidator {
  const steps = findingsOf(seen, others, at)
  const certificate = seen.connection?.certificate ?? null
  return {
    names: names.map((name) => quotable(name)),
    operator: configuredOperator,
    url: seen.url,
    release: (seen.version.kind === 'said' && releaseIn(seen.version.value)) || null,
    usable: steps.dso.outcome === 'ok' && steps.synchronizer.outcome === 'ok',
    steps,
    addresses: seen.connection?.addresses ?? [],
    certificate:
      certificate === null
        ? null
        : {
            names: quotable(certificate.names),
            issuer: quotable(certificate.issuer),
            ends: new Date(certificate.endsAt).toISOString(),
          },
    behindMs:
      seen.progress.kind === 'said' && seen.progress.value !== null
        ? others.behindMs(seen.progress.value)
        : null,
  }
}

function thresholdsOf(
  { roster, threshold, thresholds }: Examined,
  superValidators: readonly ExaminedSuperValidator[],
): readonly ExaminedThreshold[] {
  const operators = roster.electorate().operators?.n
  const usable = superValidators.flatMap((one, index) => (one.usable ? [index] : []))
  const own = [
    ['scanClient.threshold', threshold] as const,
    ...Object.entries(thresholds).map(([read, rule]) => [`scanClient.thresholds.${read}`, rule] as const),
  ]
  const named: readonly (readonly [name: string, rule: ThresholdRule])[] = [
    ['f+1', 'f+1'],
    ['2f+1', '2f+1'],
    ...own.filter(([, rule]) => typeof rule === 'number'),
  ]
  return named.map(([name, rule]) => ({
    name,
    ...standingOf(electorateOf(roster.voters, rule, operators), usable),
  }))
}
