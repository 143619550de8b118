import type { EventFormat, UpdateFormat } from '../visibility/format.ts'

/** The caller of a read: the id of a participant's user, and the user's token. */
export interface TokenReader {
  readonly userId: string
  /**
   * The bearer token by which the participant decides what the caller may see. Undefined if the participant checks no
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
  /** True if the stream begins with the last update. Always false for a stream without an end. */
  readonly descending: boolean
}

export interface ContractsRequest {
  readonly activeAtOffset: number
  readonly format: EventFormat
  /**
   * The token of the last element that arrived on an earlier connection, in base64. If undefined, the
   * stream begins with the first contract.
   */
  readonly streamContinuationToken: string | undefined
}

/**
 * A decoded `GetLedgerEndResponse` of Canton's JSON Ledger API. The record times of synchronizers are in ISO
 * 8601. Canton before 3.6 sends no record times.
 */
export interface LedgerEnd {
  readonly offset: number
  readonly synchronizerTimes: readonly { readonly synchronizerId: string; readonly recordTime: string }[]
}
