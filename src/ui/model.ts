import type { AsOf } from '../cache/as-of.ts'
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

/** The data that the views show. It has no functions, so that a view cannot change anything. */
export interface PageModel extends LiveModel {
  readonly version: string
  readonly question: LookupInput
  readonly finding: Finding | undefined
  /** The disagreement that the visitor asked to see. */
  readonly shownCase: Case | undefined
  /** A form that the daemon rejected. The view shows the reason beside it, and all that was typed. */
  readonly refused: RefusedForm | undefined
  /** The data for registering a name. Undefined if names cannot be registered here. */
  readonly registration: { readonly acronym: string } | undefined
  /** The faults that a visitor can inject. Undefined if this is no localnet, or the visitor is no operator. */
  readonly faultKinds: readonly LocalnetFault[] | undefined
  readonly receiptKeys: ReceiptKeys
  /** The number of steps of the tour that the visitor has done. Undefined if there is no tour. */
  readonly tour: number | undefined
}

export interface ReceiptKeys {
  /** The public keys of this daemon, each the `x` of its JWK. Empty if it signs no receipts. */
  readonly known: readonly string[]
  /** Whether they are kept in a file. Otherwise they end with the process. */
  readonly areKept: boolean
}

/** A receipt that a visitor can download. */
export interface OfferedReceipt {
  /** Relative to the page. */
  readonly address: string
  /** For how long it is valid, in milliseconds. Undefined where the mirror may answer, whose receipts are valid for longer. */
  readonly lastsMs: number | undefined
  /** Whether the key is kept in a file. Otherwise it ends with the process. */
  readonly isKeyKept: boolean
}

export interface RefusedForm {
  readonly form: 'fault' | 'registration' | 'tour'
  readonly why: string
  readonly typed: Readonly<Record<string, string>>
}

/** The data that changes while the page is open. */
export interface LiveModel {
  readonly network: NetworkKind
  /** The network's time in milliseconds since 1970 UTC. On a localnet it can be ahead of the machine's. */
  readonly wall: number
  /** The time of the daemon's machine in milliseconds since 1970 UTC. Disagreements are recorded in this time. */
  readonly machine: number
  /**
   * The time at which the current minute of each `ShownMember.hour` began, on the clock of the daemon's machine.
   */
  readonly minuteBegan: number
  /** The agreed roster. Undefined until there is one. */
  readonly roster: ShownRoster | undefined
  readonly waitingFor: string | undefined
  /** The last answer of each seed to the daemon's question about the roster. */
  readonly seeds: readonly SeedState[]
  /** The disagreements. The newest one is first. */
  readonly disagreements: readonly Case[]
  /** The minutes of the last hour, oldest first. */
  readonly traffic: readonly TrafficMinute[]
  /** The nodes of a localnet with their faults. Undefined if the page shows no faults. */
  readonly nodes: readonly ShownNode[] | undefined
  /** The examination of the network. Undefined if the visitor may not start one. */
  readonly doctor: ShownDoctor | undefined
}

export const ways = ['name', 'party', 'prefix'] as const
export type Way = (typeof ways)[number]

export interface LookupInput {
  readonly by: Way
  readonly text: string
  /** Whether to ask all super validators, or enough for a quorum. Undefined if the visitor may not choose. */
  readonly ask: 'all' | 'enough' | undefined
  /** True to require at least 2f+1 equal votes. */
  readonly strict: boolean
}

export type Finding =
  | {
      readonly kind: 'examined'
      readonly examination: Examination
      /** The events of the vote, in order. */
      readonly course: readonly VoteEvent[]
      /** The known events in the past and future of the entry, in order. */
      readonly history: readonly NameEvent[]
      /**
       * The answer that callers get from the mirror, or `empty` if the mirror has no snapshot yet. Undefined if
       * callers get a live answer.
       */
      readonly mirrored?: MirroredAnswer | 'empty' | undefined
      /** The time of the look-up, on the clock of the daemon's machine: milliseconds since 1970 UTC. */
      readonly askedAt: number
      /** Undefined if there is no receipt to download. */
      readonly receipt?: OfferedReceipt | undefined
      /** The acronym of the name service. Set if the name that nobody has is incomplete, and the acronym is agreed. */
      readonly acronym?: string | undefined
    }
  | { readonly kind: 'refused'; readonly why: string }
  /** The input makes no sense, so no super validator was asked. The view shows the reason beside the field. */
  | { readonly kind: 'senseless'; readonly why: string }

/** The answer of the mirror of names, beside that of a live vote. */
export interface MirroredAnswer {
  readonly asOf: Pick<AsOf, 'at' | 'basis'>
  readonly agreed: readonly string[]
  /**
   * `same`: the bytes, or all members, of the live answer. `renewed`: the same name, party, url and description,
   * but another contract or expiry. `other`: something else, or no value was agreed live.
   */
  readonly compared: 'same' | 'renewed' | 'other'
  /**
   * The side of the live vote that gave the same answer, or `neither`. Undefined if the vote was agreed beyond doubt.
   */
  readonly side?: { readonly letter: string; readonly who: readonly string[] } | 'neither' | undefined
}

/** Something that happened to a name, or will happen. */
export interface NameEvent {
  /** `begun`: the name was registered or renewed; which of the two is unknown. */
  readonly what: 'registered' | 'renewed' | 'begun' | 'renewable' | 'expires' | 'expired'
  /** The time of the event, ISO 8601. */
  readonly at: string
}

/** An entry of the name service, as a quorum agreed on it. */
export interface Entry {
  readonly name: string
  readonly user: string
  readonly url: string
  readonly description: string
  readonly contract_id: string | null
  /** The time at which the entry expires, ISO 8601. Null if it never does. */
  readonly expires_at: string | null
}

export interface ShownRoster {
  /** The party id of the DSO. Empty if it is unknown. */
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
  /** Whether the scan is reachable, judged by the last request or probe. Undefined before the first one. */
  readonly reachable: boolean | undefined
  /** Its rank in the order in which scans are asked. Undefined if the daemon cannot ask it. */
  readonly standing: Standing | undefined
  readonly hour: Hour
}

/** The examination of the network from this machine, and its latest result. */
export interface ShownDoctor {
  /** The number of scans that have been examined, and of all scans. Undefined while no examination runs. */
  readonly running: { readonly done: number; readonly of: number } | undefined
  /** The latest report. Undefined before the first one. */
  readonly report: DoctorReport | undefined
  /** The reason why the latest examination ended without a report. Undefined if it did not fail. */
  readonly failure: string | undefined
}

export interface LocalnetFault {
  readonly kind: string
  /** A description of the fault: the end of a sentence that begins with "a super validator whose scan". */
  readonly sentence: string
}

export interface ShownNode {
  readonly name: string
  /** The ids of the faults that are set. Empty if the node is healthy. */
  readonly faults: readonly string[]
}
