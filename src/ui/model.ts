import type { Count } from '../quorum/threshold.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Examination } from '../scan/examiner.ts'
import type { Standing } from '../scan/selection.ts'
import type { Hour } from '../telemetry/last-hour.ts'

/** The data that the views show, without functions that act. */
export interface PageModel extends LiveModel {
  readonly version: string
  readonly question: LookupInput
  readonly finding: Finding | undefined
  /** Why a form was rejected. The view shows it beside that form. */
  readonly refused: { readonly form: 'fault' | 'registration'; readonly why: string } | undefined
  /** Undefined if names cannot be registered here. */
  readonly registration: { readonly acronym: string } | undefined
  /** Undefined if there are no faults to inject. */
  readonly faultKinds: readonly LocalnetFault[] | undefined
}

/** The data that changes while the page is open. */
export interface LiveModel {
  readonly network: 'localnet' | 'remote'
  /** Undefined until one is agreed. */
  readonly roster: ShownRoster | undefined
  readonly waitingFor: string | undefined
  /** Newest first. */
  readonly disagreements: readonly Case[]
  /** Undefined if faults are not shown. */
  readonly nodes: readonly ShownNode[] | undefined
}

export const ways = ['name', 'party', 'prefix'] as const
export type Way = (typeof ways)[number]

/** The input of the look-up form. */
export interface LookupInput {
  readonly by: Way
  readonly text: string
  /** Whom to ask. Undefined if the visitor may not choose. */
  readonly ask: 'all' | 'enough' | undefined
}

export type Finding =
  | { readonly kind: 'examined'; readonly examination: Examination }
  | { readonly kind: 'refused'; readonly why: string }

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
