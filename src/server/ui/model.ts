import type { NetworkKind } from '../../base/config/network-kind.ts'
import type { Count } from '../../base/lib/threshold.ts'
import type { Hour } from '../../base/telemetry/last-hour.ts'
import type { TrafficMinute } from '../../base/telemetry/traffic.ts'
import type { Answer } from '../../core/cache/answer.ts'
import type { AsOf } from '../../core/cache/as-of.ts'
import type { Case } from '../../core/scan/evidence-log.ts'
import type { Standing } from '../../core/scan/peer-selection.ts'
import type { SeedState } from '../../core/scan/seed-outcome.ts'
import type { Examination, VoteEvent } from '../../doctor/examiner.ts'
import type { DoctorReport } from '../../doctor/report.ts'
import type { PlainFault } from '../../localnet/faults.ts'

/**
 * The data from which the functions in `views/` make the page. The model has no functions, so that
 * a view cannot change the daemon.
 */
export interface PageModel extends LiveModel {
  readonly place: Place
  /** The port of the public address. Undefined if the page itself is on that address. */
  readonly publicPort: number | undefined
  /** The address of the public page. Undefined if it is unknown. */
  readonly url: string | undefined
  readonly version: string
  readonly question: LookupInput
  readonly finding: Finding | undefined
  /** The names that the mirror knows last, or why it knows none yet. Undefined without a mirror. */
  readonly newest: readonly { readonly entry: Entry; readonly asOf: AsOf }[] | string | undefined
  readonly refused: RefusedForm | undefined
  /** The super validator whose fault a form has just changed, or `all`. */
  readonly changed: string | undefined
  readonly registration: { readonly acronym: string } | undefined
  readonly faultKinds: readonly PlainFault[] | undefined
  readonly canMoveClock: boolean
  readonly receiptKeys: ReceiptKeys
  /** Undefined if the page has no tour. */
  readonly tourStepsDone: number | undefined
}

/**
 * The page that is shown. Every path of a page has its own HTML, because most sections belong to one
 * page only.
 */
export type Place =
  | { readonly page: 'lookup' | 'network' | 'receipts' | 'localnet' }
  | { readonly page: 'sv'; readonly name: string }

export interface ReceiptKeys {
  /** Each public key is as in the field `x` of its JWK. */
  readonly known: readonly string[]
  /** False if the keys are only in memory, and are lost when the process ends. */
  readonly areKept: boolean
}

export interface OfferedReceipt {
  readonly address: string
  /** How long the receipt is current, in milliseconds. */
  readonly lastsMs: number
  readonly isKeyKept: boolean
}

export interface RefusedForm {
  readonly form: 'fault' | 'registration' | 'tour' | 'clock'
  readonly why: string
  readonly typed: Readonly<Record<string, string>>
}

export interface LiveModel {
  readonly network: NetworkKind
  /**
   * The time of the network in milliseconds since 1970 UTC. On a localnet, it can be ahead of
   * `machineMs`.
   */
  readonly networkMs: number
  /**
   * The time of the daemon's machine in milliseconds since 1970 UTC. The times in `disagreements`
   * are of this clock.
   */
  readonly machineMs: number
  readonly roster: ShownRoster | undefined
  readonly waitingFor: string | undefined
  readonly seeds: readonly SeedState[]
  /** The time by `machineMs` at which the super validators last agreed on a read. */
  readonly agreedAt: number | undefined
  /** Recorded disagreements, newest first. */
  readonly disagreements: readonly Case[]
  /** The reads of callers in each minute of the last hour, oldest first. */
  readonly traffic: readonly TrafficMinute[]
  readonly nodes: readonly ShownNode[] | undefined
  readonly doctor: ShownDoctor | undefined
}

export const ways = ['name', 'party', 'prefix'] as const
export type Way = (typeof ways)[number]

export interface LookupInput {
  readonly by: Way
  readonly text: string
  /**
   * `enough` asks only as many super validators as a quorum needs. Undefined if the visitor may not
   * choose.
   */
  readonly ask: 'all' | 'enough' | undefined
  /** Whether at least 2f+1 equal votes are required, instead of the threshold. */
  readonly strict: boolean
  /** Whether the mirror's answer is wanted, if it has one, without a vote. */
  readonly fromMirror?: boolean
}

export type Finding =
  | {
      readonly kind: 'examined'
      readonly examination: Examination
      readonly course: readonly VoteEvent[]
      readonly history: readonly NameEvent[]
      /**
       * The answer that callers get from the mirror, the daemon's copy of the names. `empty` if the
       * mirror has no snapshot yet, undefined if it does not answer this question.
       */
      readonly mirrored?: MirroredAnswer | 'empty' | undefined
      /**
       * The time of the look-up, in milliseconds since 1970 UTC on the clock of the daemon's
       * machine.
       */
      readonly askedAt: number
      readonly receipt?: OfferedReceipt | undefined
    }
  | {
      readonly kind: 'mirrored'
      readonly answer: Answer
      readonly asOf: AsOf
      readonly askedAt: number
    }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'senseless'; readonly why: string }

export interface MirroredAnswer {
  readonly answer: Answer
  readonly asOf: AsOf
  /**
   * How the mirror's answer compares with the live answer.
   * - `same`: equal bytes, entries with equal fields, or two absences, whatever their error texts
   *   say.
   * - `renewed`: an entry with the same name, party, url and description, which the live answer says
   *   ends later.
   * - `other`: a different answer, or no answer was agreed live.
   */
  readonly compared: 'same' | 'renewed' | 'other'
}

export interface NameEvent {
  /**
   * - `begun`: the name was registered or renewed. The daemon cannot tell which of the two.
   * - `removed`: the ledger removed the entry, some time after the entry had expired.
   */
  readonly what: 'registered' | 'renewed' | 'begun' | 'renewable' | 'expires' | 'expired' | 'removed'
  readonly at: string
}

export interface Entry {
  readonly name: string
  readonly user: string
  readonly url: string
  readonly description: string
  readonly contract_id: string | null
  /** The time at which the entry expires, ISO 8601. Null if the entry never expires. */
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
  /**
   * Whether the scan was reachable at the last request or probe. Undefined before the first of
   * them.
   */
  readonly reachable: boolean | undefined
  readonly standing: Standing | undefined
  /** The release of Splice that the scan names. Undefined if it named none yet. */
  readonly release: string | undefined
  readonly hour: Hour
}

export interface ShownDoctor {
  readonly running: { readonly done: number; readonly total: number } | undefined
  readonly report: DoctorReport | undefined
  readonly failure: string | undefined
}

export interface ShownNode {
  readonly name: string
  readonly faults: readonly string[]
}
