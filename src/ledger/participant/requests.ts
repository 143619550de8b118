import type { EventFormat, UpdateFormat } from '../visibility/format.ts'

/** The caller of a read from the participant. The user and the bearer token decide what the caller may see. */
export interface TokenReader {
  readonly userId: string
  /** The bearer token. The participant decides by it alone what the caller may do. Undefined if it checks none. */
  readonly token: string | undefined
}

/** One element of a stream of updates. */
export interface StreamElement {
  readonly kind: 'update' | 'offset-checkpoint'
  readonly offset: number
  /** `{"update":{...}}` */
  readonly text: string
}

export interface StreamRequest {
  readonly beginExclusive: number
  /** Undefined for a stream without an end. */
  readonly endInclusive: number | undefined
  readonly format: UpdateFormat
  /** Only for a stream with an end. */
  readonly descending: boolean
}

export interface ContractsRequest {
  readonly activeAtOffset: number
  readonly format: EventFormat
  /** Base64: the token of the last element that arrived. Undefined: from the first contract. */
  readonly streamContinuationToken: string | undefined
}

/** `GetLedgerEndResponse`. Participants since 3.6 send the times, in ISO 8601. */
export interface LedgerEnd {
  readonly offset: number
  readonly synchronizerTimes: readonly { readonly synchronizerId: string; readonly recordTime: string }[]
}
