import type { EventFormat, UpdateFormat } from '../visibility/format.ts'

/** Whose rights a request has. */
export interface TokenReader {
  readonly userId: string
  /** The bearer token. The participant decides by it alone what the caller may do. Undefined if it checks no tokens. */
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
  /** Undefined: without an end. */
  readonly endInclusive: number | undefined
  readonly format: UpdateFormat
  /** Only with an end. */
  readonly descending: boolean
}

export interface ContractsRequest {
  readonly activeAtOffset: number
  readonly format: EventFormat
  /** Base64: that of the element after which to go on. */
  readonly streamContinuationToken: string | undefined
}

/** `GetLedgerEndResponse`; the times are those of a participant from 3.6 on, ISO 8601. */
export interface LedgerEnd {
  readonly offset: number
  readonly synchronizerTimes: readonly { readonly synchronizerId: string; readonly recordTime: string }[]
}
