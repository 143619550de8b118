import type { DoctorReport } from '../doctor/report.ts'
import type { Count } from '../quorum/threshold.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Examination } from '../scan/examiner.ts'
import type { SeedState } from '../scan/seed-results.ts'
import type { Standing } from '../scan/selection.ts'
import type { VoteEvent } from '../scan/vote-record.ts'
import type { Hour } from '../telemetry/last-hour.ts'
import type { TrafficMinute } from '../telemetry/traffic.ts'
import type { NetworkKind } from './network.ts'

/** The data that the views show, without functions that act. */
export interface PageModel extends LiveModel {
  readonly version: string
  readonly question: LookupInput
  readonly finding: Finding | undefined
  /** The disagreement that the visitor asked to see. */
  readonly shownCase: Case | undefined
  /** A form that was rejected. The view shows why beside it, with all that was typed. */
  readonly refused: RefusedForm | undefined
  /** Undefined if names cannot be registered here. */
  readonly registration: { readonly acronym: string } | undefined
  /** Undefined if there are no faults to inject. */
  readonly faultKinds: readonly LocalnetFault[] | undefined
  /** The step of the tour that the visitor has reached. Undefined if there is no tour. */
  readonly tour: number | undefined
}

export interface RefusedForm {
  readonly form: 'fault' | 'registration' | 'tour'
  readonly why: string
  readonly typed: Readonly<Record<string, string>>
}

/** The data that changes while the page is open. */
export interface LiveModel {
  readonly network: NetworkKind
  /** Milliseconds since 1970 UTC, as the network's ledger sees it. */
  readonly wall: number
  /** Milliseconds since 1970 UTC on the clock of the daemon's machine, on which disagreements are recorded. */
  readonly machine: number
  /** Undefined until one is agreed. */
  readonly roster: ShownRoster | undefined
  readonly waitingFor: string | undefined
  /** What each seed said last when it was asked for the roster. */
  readonly seeds: readonly SeedState[]
  /** Newest first. */
  readonly disagreements: readonly Case[]
  /** Oldest first: the last hour. */
  readonly traffic: readonly TrafficMinute[]
  /** Undefined if faults are not shown. */
  readonly nodes: readonly ShownNode[] | undefined
  /** Undefined if the visitor may not have the network examined. */
  readonly doctor: ShownDoctor | undefined
}

export const ways = ['name', 'party', 'prefix'] as const
export type Way = (typeof ways)[number]

/** The input of the look-up form. */
export interface LookupInput {
  readonly by: Way
  readonly text: string
  /** Whom to ask. Undefined if the visitor may not choose. */
  readonly ask: 'all' | 'enough' | undefined
  /** True to require at least 2f+1 equal votes. */
  readonly strict: boolean
}

export type Finding =
  | {
      readonly kind: 'examined'
      readonly examination: Examination
      /** The course of the vote, in order. */
      readonly course: readonly VoteEvent[]
      /** What is known of the entry's past and future, in order. */
      readonly history: readonly NameEvent[]
    }
  | { readonly kind: 'refused'; readonly why: string }
  /** Nobody was asked, because the input makes no sense. The view says why beside the field. */
  | { readonly kind: 'senseless'; readonly why: string }

/** Something that happened to a name, or will happen. */
export interface NameEvent {
  /** `begun`: registered or renewed, which of them is unknown. */
  readonly what: 'registered' | 'renewed' | 'begun' | 'renewable' | 'expires' | 'expired'
  /** ISO 8601. */
  readonly at: string
}

/** An entry of the name service, as a quorum agreed on it. */
export interface Entry {
  readonly name: string
  readonly user: string
  readonly url: string
  readonly description: string
  readonly contract_id: string | null
  /** ISO 8601. */
  readonly expires_at: string | null
}

export interface ShownRoster {
  /** The party of the DSO. Empty if it is unknown. */
  readonly dso: string
  readonly superValidators: Count
  readonly operators: Count | undefined
  readonly isProtected: boolean
  readonly members: readonly ShownMember[]
}

export interface ShownMember {
  readonly names: readonly string[]
  readonly operator: string
  readonly host: string | undefined
  /** Undefined before the first ask. */
  readonly reachable: boolean | undefined
  /** Its position in the order of asking. Undefined if it cannot be asked. */
  readonly standing: Standing | undefined
  readonly hour: Hour
}

/** The examination of the network from this machine. */
export interface ShownDoctor {
  /** How many scans were examined, of how many. Undefined while no examination runs. */
  readonly running: { readonly done: number; readonly of: number } | undefined
  /** The latest report. */
  readonly report: DoctorReport | undefined
  /** Why the latest examination ended without a report. */
  readonly failure: string | undefined
}

export interface LocalnetFault {
  readonly kind: string
  /** The end of "a super validator whose scan ...". */
  readonly sentence: string
}

export interface ShownNode {
  readonly name: string
  /** The ids of its faults. Empty if it is healthy. */
  readonly faults: readonly string[]
}
