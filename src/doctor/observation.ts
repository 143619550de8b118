import type { Inspection } from '../scan/inspection.ts'
import type { RosterSet } from '../scan/roster.ts'

/** The outcome of one question to a scan. */
export type SaidOr<Value> =
  | { readonly kind: 'said'; readonly value: Value }
  /**
   * The status was not 200. `text` is the error message in the body, or else the body as text; both are
   * shortened.
   */
  | { readonly kind: 'status'; readonly status: number; readonly text: string }
  /** No complete response arrived. `fault` is the kind of transport fault. */
  | { readonly kind: 'fault'; readonly fault: string; readonly detail: string }
  /** The status was 200, but the body is no answer to the question. */
  | { readonly kind: 'misshapen' }
  /**
   * The question was not sent, because an earlier step failed or did not give the data that the question
   * needs.
   */
  | { readonly kind: 'not-asked' }

/** The range of the ledger's history that a scan has. */
export interface LedgerSpan {
  /** The record times of the first and the last update that the scan has, in milliseconds since 1970. */
  readonly beginsAt: number
  readonly headAt: number
  /** The time of the reply with the last update, in milliseconds since 1970 by this machine's clock. */
  readonly heardAt: number
}

/**
 * Everything that this machine observed of one scan. The findings are made later, because they also need the
 * observations of the other scans.
 */
export interface Observation {
  /** The URL of the scan. Null if the super validator publishes no URL that can be asked. */
  readonly url: string | null
  /** The reason why the daemon never asks this URL. Null if the daemon may ask it. */
  readonly blocked: string | null
  /** The connection to the scan. Null if no connection was tried. */
  readonly connection: Inspection | null
  readonly version: SaidOr<string>
  readonly dso: SaidOr<string>
  readonly synchronizer: SaidOr<string>
  /** The super validators that this scan names. Null if the scan names none. */
  readonly roster: RosterSet | null
  /** The range of the history that the scan has. The value is null if the scan has no updates yet. */
  readonly progress: SaidOr<LedgerSpan | null>
  /**
   * The record time of the scan's latest snapshot, in milliseconds since 1970. The value is null if the scan
   * has no snapshot.
   */
  readonly snapshot: SaidOr<number | null>
  /** Whether the scan has loaded all history. */
  readonly complete: SaidOr<boolean>
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
