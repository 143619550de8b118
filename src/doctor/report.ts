import type { ThresholdStanding } from './standing.ts'

export const steps = [
  'dns',
  'tcp',
  'tls',
  'version',
  'dso',
  'synchronizer',
  'head',
  'snapshot',
  'history',
] as const

export type StepId = (typeof steps)[number]

/**
 * The outcome of a step.
 * - `unknown`: the scan's release does not answer the question, or too few scans gave the same
 *   value.
 * - `skipped`: the step does not apply, or was not tried because an earlier step failed, or failed
 *   for the same reason as an earlier step.
 */
export type StepOutcome = 'ok' | 'failed' | 'unknown' | 'skipped'

export interface StepFinding {
  readonly outcome: StepOutcome
  /**
   * The result in at most seven characters, for a table: `ok`, the reason of a failure, or the
   * version.
   */
  readonly word: string
  readonly detail: string
}

export interface ExaminedSuperValidator {
  /**
   * The super validators that run this scan, usually one. Super validators that share a scan are
   * listed together, because they have one vote.
   */
  readonly names: readonly string[]
  readonly operator: string | null
  /** The scan's URL. Null if the super validator publishes no URL that can be asked. */
  readonly url: string | null
  /**
   * Whether a daemon on this machine could use the scan's vote: the scan answers, and names the
   * right DSO and synchronizer.
   */
  readonly usable: boolean
  /** The release of Splice that the scan names. Null if it names none. */
  readonly release: string | null
  readonly steps: Readonly<Record<StepId, StepFinding>>
  readonly addresses: readonly string[]
  readonly certificate: { readonly names: string; readonly issuer: string; readonly ends: string } | null
  /** The milliseconds by which the scan is behind the other scans. Null if unknown. */
  readonly behindMs: number | null
}

export interface ExaminedThreshold extends ThresholdStanding {
  readonly name: string
}

export interface Letter {
  readonly superValidators: readonly string[]
  readonly operator: string | null
  readonly url: string
  readonly subject: string
  readonly text: string
}

/**
 * The source of the list of super validators:
 * - `agreed`: at least f+1 seeds (configured scans) name the same list, as a daemon requires.
 * - `told`: fewer seeds name the same list, so a daemon would have no list.
 * - `seeds`: no seed names a list, so the seeds themselves are examined.
 * - `configuration`: discovery is off, and the seeds are the list.
 */
export type RosterOrigin = 'agreed' | 'told' | 'seeds' | 'configuration'

export interface ExaminedRoster {
  readonly source: RosterOrigin
  /**
   * The number of seeds that name this list. If `source` is `configuration`, the number of all
   * seeds.
   */
  readonly toldBy: number
  /** The number of seeds that must name the list before a daemon uses it. */
  readonly needed: number
  readonly seeds: number
  /**
   * The DSO's party id, if it is configured or enough scans or seeds confirm it. Otherwise empty.
   */
  readonly dso: string
  readonly synchronizer: string
}

export interface Egress {
  readonly configured: readonly string[]
  /** This machine's addresses in connections to scans, except through a forward proxy. */
  readonly local: readonly string[]
  readonly proxies: readonly string[]
  readonly says: string
}

/**
 * The conclusion about the whole network.
 * - `well`: no check failed at any super validator.
 * - `some-missing`: a check failed, but every threshold can be met.
 * - `not-enough`: a threshold cannot be met, or a daemon would have no list of super validators, or
 *   a list that is too short.
 */
export type VerdictKind = 'well' | 'some-missing' | 'not-enough'

/** The doctor's result, as `doctor --json` prints it. */
export interface DoctorReport {
  readonly format: 1
  readonly at: string
  readonly network: string
  readonly roster: ExaminedRoster
  readonly egress: Egress
  readonly superValidators: readonly ExaminedSuperValidator[]
  /** f: how many faulty super validators are tolerated. */
  readonly tolerated: number
  readonly thresholds: readonly ExaminedThreshold[]
  readonly verdict: { readonly kind: VerdictKind; readonly sentences: readonly string[] }
  readonly letters: readonly Letter[]
}

/** Returns the steps whose details people need. The word `soon` means that the step succeeded, but will fail soon. */
export function toldSteps({ steps: findings }: ExaminedSuperValidator): readonly StepId[] {
  return steps.filter((step) => {
    const { outcome, word, detail } = findings[step]
    return detail !== '' && (outcome === 'failed' || outcome === 'unknown' || word === 'soon')
  })
}
