import type { ThresholdStanding } from '../quorum/standing.ts'

/** The steps of an examination, in their order. */
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
 * `failed`: something is wrong. `unknown`: the scan's release does not tell. `skipped`: the step does not exist here,
 * or an earlier one failed.
 */
export type StepOutcome = 'ok' | 'failed' | 'unknown' | 'skipped'

/** The result of one step at one super validator. */
export interface StepFinding {
  readonly outcome: StepOutcome
  /** The reason in at most seven characters, for a column of a table. */
  readonly word: string
  /** The reason as sentences; empty if there is nothing to say. */
  readonly detail: string
}

export interface ExaminedSuperValidator {
  /** Several if they share one scan, and so one vote. */
  readonly names: readonly string[]
  readonly operator: string | null
  /** Null if it publishes no URL that can be asked. */
  readonly url: string | null
  /** Whether it can vote from here: it answers, and for the network of the majority. */
  readonly usable: boolean
  readonly steps: Readonly<Record<StepId, StepFinding>>
  readonly addresses: readonly string[]
  readonly certificate: { readonly names: string; readonly issuer: string; readonly ends: string } | null
  /** How far its last update is behind those of the others; null if unknown. */
  readonly behindMs: number | null
}

export interface ExaminedThreshold extends ThresholdStanding {
  /** `f+1`, `2f+1`, or the option that sets it. */
  readonly name: string
}

/** A text to send to the operator of a super validator that does not let this machine in. */
export interface Letter {
  readonly superValidators: readonly string[]
  readonly operator: string | null
  readonly url: string
  readonly subject: string
  readonly text: string
}

/**
 * `agreed`: f+1 of the seeds name these super validators, as a daemon demands. `told`: fewer do, so a daemon would have
 * no roster. `seeds`: no seed says who they are, and the seeds are examined. `configuration`: the seeds are the roster.
 */
export type RosterOrigin = 'agreed' | 'told' | 'seeds' | 'configuration'

export interface ExaminedRoster {
  readonly source: RosterOrigin
  /** How many seeds name these super validators, and how many must. */
  readonly toldBy: number
  readonly needed: number
  readonly seeds: number
  readonly dso: string
  readonly synchronizer: string
}

/** The addresses from which requests leave. */
export interface Egress {
  /** As configured: `scanClient.egressAddresses`. */
  readonly configured: readonly string[]
  /** This machine's ends of its connections. */
  readonly local: readonly string[]
  /** The forward proxies in use, as `host:port`. */
  readonly proxies: readonly string[]
  /** A sentence about the address: what is known, or how to find it out. */
  readonly says: string
}

/**
 * `well`: every step of every super validator is. `some-missing`: every threshold holds, but a step failed.
 * `not-enough`: a threshold does not hold, or a daemon would have no roster.
 */
export type VerdictKind = 'well' | 'some-missing' | 'not-enough'

/** The result of `doctor`, in the form that `--json` prints and that a page can show. */
export interface DoctorReport {
  readonly format: 1
  /** ISO 8601, by this machine's clock. */
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
