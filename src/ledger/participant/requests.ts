import type { EventFormat, UpdateFormat } from '../visibility/format.ts'

/** The caller of a read: a user of the participant, and the user's token. */
export interface TokenReader {
  readonly userId: string
  /**
   * The bearer token, by which the participant decides what the caller may see. Undefined if the participant checks no
   * tokens.
   */
  readonly token: string | undefined
}

/** One element of a stream of updates. */
export interface StreamElement {
  readonly kind: 'update' | 'offset-checkpoint'
  readonly offset: number
  /** The JSON of the element: `{"update":{...}}`. */
  readonly text: string
}

export interface StreamRequest {
  readonly beginExclusive: number
  /** The last offset of the stream. Undefined if the stream has no end. */
  readonly endInclusive: number | undefined
  readonly format: UpdateFormat
  /** Whether the last update comes first. Possible only for a stream with an end. */
  readonly descending: boolean
}

export interface ContractsRequest {
  readonly activeAtOffset: number
  readonly format: EventFormat
  /** The token of the last element that arrived, in base64. Undefined to begin with the first contract. */
  readonly streamContinuationToken: string | undefined
}

/**
 * A decoded `GetLedgerEndResponse` of Canton's JSON Ledger API. Participants since 3.6 also send the record times of
 * synchronizers, in ISO 8601.
 */
export interface LedgerEnd {
  readonly offset: number
  readonly synchronizerTimes: readonly { readonly synchronizerId: string; readonly recordTime: string }[]
}
