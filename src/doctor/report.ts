import type { ThresholdStanding } from '../quorum/standing.ts'

/** The steps of an examination, in order. */
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
 * - `failed`: something is wrong.
 * - `unknown`: the scan's release does not answer the question, or too few scans gave the same value.
 * - `skipped`: the step does not apply to this scan, was not tried because an earlier step failed, or repeats
 *   the failure of an earlier step.
 */
export type StepOutcome = 'ok' | 'failed' | 'unknown' | 'skipped'

export interface StepFinding {
  readonly outcome: StepOutcome
  /**
   * The result in at most seven characters, for a table column: `ok`, the reason of a failure, or the
   * version.
   */
  readonly word: string
  /** The details as sentences; empty if there are none. */
  readonly detail: string
}

export interface ExaminedSuperValidator {
  /** Usually one name. Super validators that share a scan are listed together, because they have one vote. */
  readonly names: readonly string[]
  /** The configured operator. Null if no operator is configured for this super validator. */
  readonly operator: string | null
  /** The scan's URL. Null if the super validator publishes no URL that can be asked. */
  readonly url: string | null
  /**
   * Whether a daemon on this machine could use the vote of this scan. The scan must answer, and must name the
   * right DSO and the right synchronizer: the configured ones, or those that enough scans name.
   */
  readonly usable: boolean
  readonly steps: Readonly<Record<StepId, StepFinding>>
  readonly addresses: readonly string[]
  /** The scan's certificate. Null if the scan presented none. */
  readonly certificate: { readonly names: string; readonly issuer: string; readonly ends: string } | null
  /** The milliseconds by which the scan is behind the other scans. Null if unknown. */
  readonly behindMs: number | null
}

export interface ExaminedThreshold extends ThresholdStanding {
  /** The name of the threshold: `f+1`, `2f+1`, or the option that sets it. */
  readonly name: string
}

/** A letter to send to the operator of a super validator that refuses this machine. */
export interface Letter {
  readonly superValidators: readonly string[]
  /** The configured operator. Null if no operator is configured for these super validators. */
  readonly operator: string | null
  readonly url: string
  readonly subject: string
  readonly text: string
}

/**
 * The source of the list of super validators.
 * - `agreed`: at least f+1 of the seeds name this list, as a daemon requires.
 * - `told`: fewer seeds name this list, so a daemon would have no roster.
 * - `seeds`: no seed names a list, so the seeds themselves are examined.
 * - `configuration`: the configured seeds are the roster.
 */
export type RosterOrigin = 'agreed' | 'told' | 'seeds' | 'configuration'

export interface ExaminedRoster {
  readonly source: RosterOrigin
  /** The number of seeds that name this list. If `source` is `configuration`, the number of all seeds. */
  readonly toldBy: number
  /** The number of seeds that must name the list before a daemon uses it. */
  readonly needed: number
  readonly seeds: number
  /**
   * The DSO's party id: the configured one, or one that enough scans or enough seeds confirm. Otherwise
   * empty.
   */
  readonly dso: string
  /** The id of the active synchronizer, if enough scans or enough seeds confirm it. Otherwise empty. */
  readonly synchronizer: string
}

/** The addresses from which this machine's requests leave. */
export interface Egress {
  /** The configured addresses: `scanClient.egressAddresses`. */
  readonly configured: readonly string[]
  /**
   * The local addresses of this machine's connections to scans, except connections through a forward proxy.
   */
  readonly local: readonly string[]
  /** The forward proxies in use, as `host:port`. */
  readonly proxies: readonly string[]
  /** One or more sentences that state this machine's address, or tell how to find it. */
  readonly says: string
}

/**
 * The doctor's conclusion about the whole network.
 * - `well`: no check failed at any super validator.
 * - `some-missing`: every threshold can be met, but a check failed.
 * - `not-enough`: a threshold cannot be met, a daemon would have no roster, or its roster would be smaller
 *   than `scanClient.minimumVoters`.
 */
export type VerdictKind = 'well' | 'some-missing' | 'not-enough'

/** The doctor's result, as `doctor --json` prints it. The page for people shows it too. */
export interface DoctorReport {
  readonly format: 1
  /** The time of the report, ISO 8601, by this machine's clock. */
  readonly at: string
  readonly network: string
  readonly roster: ExaminedRoster
  readonly egress: Egress
  readonly superValidators: readonly ExaminedSuperValidator[]
  /** f: how many faulty super validators the roster tolerates. */
  readonly tolerated: number
  readonly thresholds: readonly ExaminedThreshold[]
  readonly verdict: { readonly kind: VerdictKind; readonly sentences: readonly string[] }
  readonly letters: readonly Letter[]
}
