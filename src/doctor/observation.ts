import type { Membership } from '../core/scan/membership.ts'
import type { Inspection } from './inspect-connection.ts'

export type QuestionOutcome<Value> =
  | { readonly kind: 'said'; readonly value: Value }
  /**
   * The status was not 200. `text` is the error message in the body, or the body itself, shortened.
   */
  | { readonly kind: 'status'; readonly status: number; readonly text: string }
  | { readonly kind: 'fault'; readonly fault: string; readonly detail: string }
  /** The status was 200, but the body is no answer to the question. */
  | { readonly kind: 'misshapen' }
  /**
   * The question was not sent, because an earlier step failed or did not give the data that the
   * question needs.
   */
  | { readonly kind: 'not-asked' }

export interface LedgerSpan {
  /** The record time of the scan's first update, in milliseconds since 1970. */
  readonly beginsAt: number
  /** The record time of the scan's last update, in milliseconds since 1970. */
  readonly headAt: number
  /**
   * The time at which the reply with the last update arrived, in milliseconds since 1970 by this
   * machine's clock.
   */
  readonly heardAt: number
}

export interface Observation {
  /** The scan's URL. Null if the super validator publishes no URL that can be asked. */
  readonly url: string | null
  /** The reason why the daemon never asks this URL. Null if the daemon may ask it. */
  readonly blocked: string | null
  readonly connection: Inspection | null
  readonly version: QuestionOutcome<string>
  readonly dso: QuestionOutcome<string>
  readonly synchronizer: QuestionOutcome<string>
  readonly roster: Membership | null
  /**
   * The range of the history that the scan has. The value is null if the scan has no updates yet.
   */
  readonly progress: QuestionOutcome<LedgerSpan | null>
  /**
   * The record time of the latest snapshot, in milliseconds since 1970. The value is null if there
   * is none.
   */
  readonly snapshot: QuestionOutcome<number | null>
  readonly complete: QuestionOutcome<boolean>
}

const notAsked = { kind: 'not-asked' } as const

export function unasked(url: string | null, blocked: string | null): Observation {
  return {
    url,
    blocked,
    connection: null,
    version: notAsked,
    dso: notAsked,
    synchronizer: notAsked,
    roster: null,
    progress: notAsked,
    snapshot: notAsked,
    complete: notAsked,
  }
}
