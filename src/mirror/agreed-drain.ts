import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Fanout } from '../quorum/plan.ts'
import type { Connections } from '../scan/connections.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'

/** The snapshot that is wanted. */
export interface WantedSnapshot {
  /** A grid instant: milliseconds since 1970. */
  readonly at: number
  readonly migrationId: number
}

export interface DrainOptions {
  readonly fanout: Fanout
  /** Waits for all scans before deciding, so that the report covers all of them. False by default. */
  readonly patient?: boolean
  /** A snapshot with more names is not taken. */
  readonly maxEntries: number
  /** Limits one page, connecting included. */
  readonly requestTimeoutMs: number
  /** Limits the body of one page. */
  readonly maxPageBytes: number
  /** Limits the whole drain. */
  readonly deadlineMs: number
  /** After this time a scan's snapshot is late, and another scan is asked as well. */
  readonly lateMs: number
  /** 1000 by default. */
  readonly pageSize?: number
}

export interface DrainDeps {
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  /** Returns the roster in force, if there is one. */
  readonly roster: () => Roster | undefined
}

/** Super validators that gave the same set. */
export interface DrainedAlike {
  readonly digest: string
  readonly who: readonly string[]
}

/** The course of a drain. */
export interface DrainReport {
  /** All decoded bytes of all scans. */
  readonly bytes: number
  readonly seconds: number
  /** Milliseconds after the grid instant by which as many scans as the threshold were seen to have the snapshot. */
  readonly availableAfterMs: number | undefined
  /** The sets that scans gave, the most frequent first. */
  readonly digests: readonly DrainedAlike[]
  /** Whether all scans that gave a set gave the same. */
  readonly alike: boolean
  /** Super validators whose set contradicts the agreed one. */
  readonly dissenters: readonly string[]
  /** Super validators without a set, and why. */
  readonly silent: Case['silent']
}

/** What a drain came to. */
export type DrainOutcome =
  | {
      readonly kind: 'agreed'
      readonly set: AgreedSet
      readonly report: DrainReport
      /** To be filed, if a scan gave another set. */
      readonly evidence: Case | undefined
    }
  /** Too few scans have the snapshot. */
  | { readonly kind: 'not-yet'; readonly report: DrainReport }
  | { readonly kind: 'disputed'; readonly report: DrainReport; readonly evidence: Case }
  | { readonly kind: 'too-many-entries'; readonly report: DrainReport }
  | { readonly kind: 'unreachable'; readonly why: string; readonly report: DrainReport | undefined }
  /** Super validators, operators or thresholds changed during the drain. */
  | { readonly kind: 'roster-changed' }

/**
 * Drains a snapshot from as many scans as the usual rules ask for, and decides by these rules. Rejects only when the
 * signal aborts.
 */
export async function drainAgreed(
  wanted: WantedSnapshot,
  options: DrainOptions,
  deps: DrainDeps,
  signal: AbortSignal,
): Promise<DrainOutcome> {
  signal.throwIfAborted()
  throw new Error(`not there yet: ${wanted.at} ${options.fanout} ${deps.clock.now()}`)
}
