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
 * `failed`: something is wrong. `unknown`: the scan's release does not tell, or too few scans confirm the
 * value. `skipped`: the step does not apply to this scan, or an earlier step failed.
 */
export type StepOutcome = 'ok' | 'failed' | 'unknown' | 'skipped'

/** The result of one step at one super validator. */
export interface StepFinding {
  readonly outcome: StepOutcome
  /**
   * The result in at most seven characters, for a column of a table: `ok`, the reason of a failure, or the
   * version.
   */
  readonly word: string
  /** The details as sentences; empty if there is nothing to say. */
  readonly detail: string
}

export interface ExaminedSuperValidator {
  /** The names of the super validators. Several super validators that share one scan share one vote. */
  readonly names: readonly string[]
  readonly operator: string | null
  /** The scan's URL. Null if the super validator publishes none that can be asked. */
  readonly url: string | null
  /** Whether its vote can count on this machine: the scan answers, and is of the majority's network. */
  readonly usable: boolean
  readonly steps: Readonly<Record<StepId, StepFinding>>
  readonly addresses: readonly string[]
  readonly certificate: { readonly names: string; readonly issuer: string; readonly ends: string } | null
  /** Milliseconds by which its last update is older than that of the others; null if unknown. */
  readonly behindMs: number | null
}

export interface ExaminedThreshold extends ThresholdStanding {
  /** The name of the threshold: `f+1`, `2f+1`, or the option that sets it. */
  readonly name: string
}

/** A text to send to the operator of a super validator that refuses this machine. */
export interface Letter {
  readonly superValidators: readonly string[]
  readonly operator: string | null
  readonly url: string
  readonly subject: string
  readonly text: string
}

/**
 * The origin of the list of super validators. `agreed`: f+1 of the seeds name it, as a daemon demands. `told`: fewer
 * seeds name it, so a daemon would have no roster. `seeds`: no seed names a list, and the seeds themselves are
 * examined. `configuration`: the configured seeds are the roster.
 */
export type RosterOrigin = 'agreed' | 'told' | 'seeds' | 'configuration'

export interface ExaminedRoster {
  readonly source: RosterOrigin
  /**
   * The number of seeds that name this list; of all seeds if the source is `configuration`. `needed` is the
   * number that must name it.
   */
  readonly toldBy: number
  readonly needed: number
  readonly seeds: number
  readonly dso: string
  readonly synchronizer: string
}

/** The addresses from which this machine's requests leave. */
export interface Egress {
  /** The configured addresses: `scanClient.egressAddresses`. */
  readonly configured: readonly string[]
  /** The local addresses of this machine's connections to scans. */
  readonly local: readonly string[]
  /** The forward proxies in use, as `host:port`. */
  readonly proxies: readonly string[]
  /** One or more sentences that tell the address, or how to find it out. */
  readonly says: string
}

/**
 * `well`: no step failed at any super validator. `some-missing`: every threshold can be met, but a step failed.
 * `not-enough`: a threshold cannot be met, or a daemon would have no roster.
 */
export type VerdictKind = 'well' | 'some-missing' | 'not-enough'

/** The result of `doctor`, in the form that `--json` prints and that a page can show. */
export interface DoctorReport {
  readonly format: 1
  /** The time of the report, ISO 8601, by this machine's clock. */
  readonly at: string
  readonly network: string
  readonly roster: ExaminedRoster
  readonly egress: Egress
  readonly superValidators: readonly ExaminedSuperValidator[]
  readonly tolerated: number
  readonly thresholds: readonly ExaminedThreshold[]
  readonly verdict: { readonly kind: VerdictKind; readonly sentences: readonly string[] }
  readonly letters: readonly Letter[]
}
