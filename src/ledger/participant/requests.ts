import type { EventFormat, UpdateFormat } from '../visibility/format.ts'

/** The participant's user who makes a read. */
export interface Credentials {
  readonly userId: string
  /** The bearer token. Undefined if the participant checks no tokens. */
  readonly token: string | undefined
}

export interface StreamElement {
  readonly kind: 'update' | 'offset-checkpoint'
  readonly offset: number
  readonly text: string
}

export interface StreamRequest {
  readonly beginExclusive: number
  readonly endInclusive: number | undefined
  readonly format: UpdateFormat
  readonly descending: boolean
}

export interface ContractsRequest {
  readonly activeAtOffset: number
  readonly format: EventFormat
  readonly streamContinuationToken: string | undefined
}

/** The record times are in ISO 8601. Canton before 3.6 sends none. */
export interface LedgerEnd {
  readonly offset: number
  readonly synchronizerTimes: readonly { readonly synchronizerId: string; readonly recordTime: string }[]
}
