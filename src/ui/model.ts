import type { AsOf } from '../cache/as-of.ts'
import type { DoctorReport } from '../doctor/report.ts'
import type { Count } from '../quorum/threshold.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Examination } from '../scan/examiner.ts'
import type { Standing } from '../scan/peer-selection.ts'
import type { SeedState } from '../scan/seed-results.ts'
import type { VoteEvent } from '../scan/vote-record.ts'
import type { Hour } from '../telemetry/last-hour.ts'
import type { TrafficMinute } from '../telemetry/traffic.ts'
import type { NetworkKind } from './network-kind.ts'

/**
 * The data from which the functions in `views/` make the page. It has no functions, so that a view cannot
 * change the daemon.
 */
export interface PageModel extends LiveModel {
  readonly version: string
  readonly question: LookupInput
  /** The result of the look-up. Undefined if the visitor has looked nothing up. */
  readonly finding: Finding | undefined
  /**
   * The disagreement that the visitor asked to see. Undefined if the visitor asked for none, or if the daemon
   * has deleted it.
   */
  readonly shownCase: Case | undefined
  /**
   * The form that the daemon rejected, with the reason and with all that the visitor typed. Undefined if the
   * daemon rejected no form.
   */
  readonly refused: RefusedForm | undefined
  /**
   * The acronym that ends the names that the visitor can register. Undefined if names cannot be registered
   * here.
   */
  readonly registration: { readonly acronym: string } | undefined
  /**
   * The faults that the visitor can inject. Undefined if the network is no localnet, or if the visitor may not change
   * it.
   */
  readonly faultKinds: readonly LocalnetFault[] | undefined
  /** Whether the visitor can move the clock of a localnet forward. */
  readonly canAdvance: boolean
  readonly receiptKeys: ReceiptKeys
  /** The number of steps of the tour that the visitor has done. Undefined if the page has no tour. */
  readonly tour: number | undefined
}

export interface ReceiptKeys {
  /**
   * The public keys of this daemon, each as in the field `x` of its JWK. Empty if the daemon signs no
   * receipts.
   */
  readonly known: readonly string[]
  /** Whether the keys are stored in a file. Otherwise the keys are lost when the process ends. */
  readonly areKept: boolean
}

export interface OfferedReceipt {
  /** The URL of the download, relative to the page. */
  readonly address: string
  /**
   * The time for which the receipt is valid, in milliseconds. Undefined if the answer may come from the
   * mirror. A receipt of such an answer is valid for longer.
   */
  readonly lastsMs: number | undefined
  /**
   * Whether the key that signs the receipt is stored in a file. Otherwise the key is lost when the process
   * ends.
   */
  readonly isKeyKept: boolean
}

export interface RefusedForm {
  readonly form: 'fault' | 'registration' | 'tour' | 'clock'
  readonly why: string
  readonly typed: Readonly<Record<string, string>>
}

/** The data that changes while the page is open. */
export interface LiveModel {
  readonly network: NetworkKind
  /** The time of the network in milliseconds since 1970 UTC. On a localnet, it can be ahead of `machine`. */
  readonly wall: number
  /**
   * The time of the daemon's machine in milliseconds since 1970 UTC. The times in `disagreements` are times
   * of this clock.
   */
  readonly machine: number
  /**
   * The time at which the current minute began, in milliseconds since 1970 UTC on the clock of the daemon's
   * machine. The current minute is the last one in `traffic` and in each `ShownMember.hour`.
   */
  readonly minuteBegan: number
  /** The agreed roster. Undefined until a roster is agreed. */
  readonly roster: ShownRoster | undefined
  /** The reason why there is no roster. Undefined if there is a roster. */
  readonly waitingFor: string | undefined
  /** The seeds, each with the result of the last request in which the daemon asked it about the roster. */
  readonly seeds: readonly SeedState[]
  /** Recorded disagreements, newest first. */
  readonly disagreements: readonly Case[]
  /** The reads of callers in each minute of the last hour, oldest first. */
  readonly traffic: readonly TrafficMinute[]
  /** The nodes of a localnet with their faults. Undefined if the page shows no faults. */
  readonly nodes: readonly ShownNode[] | undefined
  /** The examination of the network by the doctor. Undefined if the visitor may not start an examination. */
  readonly doctor: ShownDoctor | undefined
}

export const ways = ['name', 'party', 'prefix'] as const
export type Way = (typeof ways)[number]

export interface LookupInput {
  readonly by: Way
  readonly text: string
  /**
   * Whether to ask all super validators, or only enough of them for a quorum. Undefined if the visitor may
   * not choose.
   */
  readonly ask: 'all' | 'enough' | undefined
  /** Whether to require at least 2f+1 equal votes. */
  readonly strict: boolean
}

export type Finding =
  | {
      readonly kind: 'examined'
      readonly examination: Examination
      /** The events of the vote, in order. */
      readonly course: readonly VoteEvent[]
      /** The known past and future events of the entry, in order. */
      readonly history: readonly NameEvent[]
      /**
       * The answer that callers get from the mirror. `empty` if the mirror has no snapshot yet. Undefined if
       * the mirror does not answer this question.
       */
      readonly mirrored?: MirroredAnswer | 'empty' | undefined
      /** The time of the look-up, in milliseconds since 1970 UTC on the clock of the daemon's machine. */
      readonly askedAt: number
      /** The party id of the DSO whose super validators were asked. Undefined if it is unknown. */
      readonly dso?: string | undefined
      /** The receipt of the answer. Undefined if the page offers none. */
      readonly receipt?: OfferedReceipt | undefined
      /**
       * The acronym of the name service, such as `cns`, for a hint. Present if nobody has the name, the name
       * is incomplete, and an acronym is agreed.
       */
      readonly acronym?: string | undefined
    }
  | { readonly kind: 'refused'; readonly why: string }
  /**
   * The input cannot be looked up, so no super validator was asked. The page shows the reason beside the
   * field.
   */
  | { readonly kind: 'senseless'; readonly why: string }

/** The mirror's answer to a question, compared with a live vote. */
export interface MirroredAnswer {
  readonly asOf: Pick<AsOf, 'at' | 'basis'>
  readonly agreed: readonly string[]
  /**
   * How the mirror's answer compares with the live answer.
   * - `same`: equal bytes, entries with equal fields, or two absences. The error texts of absences may
   *   differ.
   * - `renewed`: an entry with the same name, party, url and description, but another contract or expiry.
   * - `other`: a different answer, or no answer was agreed live.
   */
  readonly compared: 'same' | 'renewed' | 'other'
  /**
   * The side of the live vote that gave the mirror's answer, or `neither`. A side is a group of super
   * validators with equal votes. Undefined if the live vote shows who is right.
   */
  readonly side?: { readonly letter: string; readonly who: readonly string[] } | 'neither' | undefined
}

/** A past or future event of a name. */
export interface NameEvent {
  /**
   * - `begun`: the name was either registered or renewed. The daemon cannot tell which of the two.
   * - `removed`: the ledger removed the entry, some time after the entry had expired.
   */
  readonly what: 'registered' | 'renewed' | 'begun' | 'renewable' | 'expires' | 'expired' | 'removed'
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
  /** The time at which the entry expires, ISO 8601. Null if it never expires. */
  readonly expires_at: string | null
}

export interface ShownRoster {
  /** The party id of the DSO. Empty if it is unknown. */
  readonly dso: string
  readonly superValidators: Count
  /**
   * The number of operators, and how many of them must agree. Undefined if the daemon does not count
   * operators.
   */
  readonly operators: Count | undefined
  readonly isProtected: boolean
  readonly members: readonly ShownMember[]
}

export interface ShownMember {
  readonly names: readonly string[]
  readonly operator: string
  /** The host of the scan. Undefined if the super validator publishes no URL of a scan. */
  readonly host: string | undefined
  /** Whether the scan was reachable at the last request or probe. Undefined before the first of them. */
  readonly reachable: boolean | undefined
  /**
   * The position of the scan in the order in which the daemon asks scans, and its reply times. Undefined if
   * the daemon cannot ask the scan.
   */
  readonly standing: Standing | undefined
  readonly hour: Hour
}

/** The state of the examination of the network, and its latest result. */
export interface ShownDoctor {
  /**
   * `done` is the number of scans whose examination has ended. `of` is the number of scans whose examination
   * has begun. Undefined while no examination runs.
   */
  readonly running: { readonly done: number; readonly of: number } | undefined
  readonly report: DoctorReport | undefined
  /** The reason why the latest examination failed. Undefined if it did not fail. */
  readonly failure: string | undefined
}

export interface LocalnetFault {
  readonly kind: string
  /** The second half of a sentence that describes the fault. The first half is "a super validator whose scan". */
  readonly sentence: string
}

export interface ShownNode {
  readonly name: string
  /** The kinds of the faults that are set. Empty if the node is healthy. */
  readonly faults: readonly string[]
}
