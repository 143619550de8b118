import type { Inspection } from '../scan/inspection.ts'
import type { RosterSet } from '../scan/roster.ts'

/** The outcome of one question to a scan. */
export type SaidOr<Value> =
  | { readonly kind: 'said'; readonly value: Value }
  /** Any other status than 200, with the text of its body, shortened. */
  | { readonly kind: 'status'; readonly status: number; readonly text: string }
  /** No whole response: `fault` is a kind of transport fault. */
  | { readonly kind: 'fault'; readonly fault: string; readonly detail: string }
  /** A response with status 200 that is no answer to the question. */
  | { readonly kind: 'misshapen' }
  /** An earlier step failed, or did not tell what the question needs. */
  | { readonly kind: 'not-asked' }

/** The part of the ledger that a scan has. */
export interface LedgerSpan {
  /** The record time of its first and its last update, milliseconds since 1970. */
  readonly beginsAt: number
  readonly headAt: number
  /** When it said so, by this machine's clock. */
  readonly heardAt: number
}

/** Everything that was seen of one scan. It has no judgement: that needs the other scans. */
export interface Observation {
  /** The text of the URL that was examined. Null if the super validator publishes none that can be asked. */
  readonly url: string | null
  /** Why the daemon never asks this URL; null if it does. */
  readonly blocked: string | null
  /** Null if no connection was tried. */
  readonly connection: Inspection | null
  readonly version: SaidOr<string>
  readonly dso: SaidOr<string>
  readonly synchronizer: SaidOr<string>
  /** The super validators that it names. Null if it names none. */
  readonly roster: RosterSet | null
  /** Null if it has no updates yet. */
  readonly progress: SaidOr<LedgerSpan | null>
  /** The record time of its latest snapshot, milliseconds since 1970; null if it has none. */
  readonly snapshot: SaidOr<number | null>
  /** Whether it has loaded all history. */
  readonly complete: SaidOr<boolean>
}

const notAsked = { kind: 'not-asked' } as const

/** The observation of a scan that nobody asked. */
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
