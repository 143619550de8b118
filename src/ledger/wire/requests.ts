import { z } from 'zod'
import { CantonError } from '../../errors/canton.ts'
import type { EventFormat, UpdateFormat } from '../visibility/format.ts'
import { type Asked, askedContracts, askedUpdates } from '../visibility/older-form.ts'
import { eventFormat, type Requested, transactionFilter, updateFormat } from './formats.ts'
import { bytes, decode, flag, optional, optionalInt64, requiredInt64, text } from './relaxed.ts'

/** `GetUpdatesRequest`, with its older form rewritten into what that stands for. */
export interface UpdatesRequest {
  readonly beginExclusive: number
  /** Undefined: without an end. */
  readonly endInclusive: number | undefined
  readonly descendingOrder: boolean
  readonly updateFormat: Requested<UpdateFormat>
}

/** `GetActiveContractsRequest`, with its older form rewritten. */
export interface ActiveContractsRequest {
  readonly activeAtOffset: number
  readonly eventFormat: EventFormat
  /** No bytes: from the first contract. */
  readonly streamContinuationToken: Buffer
}

/** `GetActiveContractsPageRequest` */
export interface ContractsPageRequest {
  /** Undefined: the ledger's end, or where the page before was. */
  readonly activeAtOffset: number | undefined
  readonly eventFormat: EventFormat | undefined
  readonly maxPageSize: number | undefined
  /** No bytes: the first page. */
  readonly pageToken: Buffer
}

/** `GetConnectedSynchronizersRequest`: parameters of a query. */
export interface SynchronizersRequest {
  readonly party: string | undefined
  /** That hosts the party; undefined: this one. */
  readonly participantId: string | undefined
  readonly identityProviderId: string | undefined
}

/** `GetUpdatesPageRequest` */
export interface UpdatesPageRequest {
  readonly beginOffsetExclusive: number | undefined
  readonly endOffsetInclusive: number | undefined
  readonly maxPageSize: number | undefined
  readonly updateFormat: Requested<UpdateFormat> | undefined
  readonly descendingOrder: boolean
  /** No bytes: the first page. */
  readonly pageToken: Buffer
}

/** What one update is looked up by. */
export type UpdateKey =
  | { readonly by: 'offset'; readonly offset: number }
  | { readonly by: 'id'; readonly updateId: string }
  | { readonly by: 'hash'; readonly transactionHash: Buffer }

export interface UpdateRequest {
  readonly key: UpdateKey
  readonly updateFormat: Requested<UpdateFormat> | undefined
}

const older = { filter: optional(transactionFilter), verbose: flag }

export const updatesBody = z.object({
  beginExclusive: requiredInt64,
  endInclusive: optionalInt64,
  descendingOrder: flag,
  updateFormat: optional(updateFormat),
  ...older,
})

export const activeContractsBody = z.object({
  activeAtOffset: requiredInt64.default(0),
  eventFormat: optional(eventFormat),
  streamContinuationToken: optional(bytes),
  ...older,
})

export const contractsPageBody = z.object({
  activeAtOffset: optionalInt64,
  eventFormat: optional(eventFormat),
  maxPageSize: optionalInt64,
  pageToken: optional(bytes),
})

export const pageBody = z.object({
  beginOffsetExclusive: optionalInt64,
  endOffsetInclusive: optionalInt64,
  maxPageSize: optionalInt64,
  updateFormat: optional(updateFormat),
  descendingOrder: optional(z.boolean()),
  pageToken: optional(bytes),
})

export const byOffsetBody = z.object({
  offset: requiredInt64.default(0),
  updateFormat: optional(updateFormat),
})
export const byIdBody = z.object({ updateId: text, updateFormat: optional(updateFormat) })
export const byHashBody = z.object({ transactionHash: bytes, updateFormat: optional(updateFormat) })

/** @throws PlainError, CantonError */
export function updatesRequest(body: string): UpdatesRequest {
  const { beginExclusive, endInclusive, descendingOrder, ...given } = decode(updatesBody, body)
  const asked = askedUpdates(given.updateFormat?.format, given)
  const requested = { format: formOf(asked, 'updateFormat'), missing: given.updateFormat?.missing }
  return { beginExclusive, endInclusive, descendingOrder, updateFormat: requested }
}

/** @throws PlainError, CantonError */
export function activeContractsRequest(body: string): ActiveContractsRequest {
  const { activeAtOffset, streamContinuationToken, ...given } = decode(activeContractsBody, body)
  return {
    activeAtOffset,
    eventFormat: formOf(askedContracts(given.eventFormat, given), 'eventFormat'),
    streamContinuationToken: streamContinuationToken ?? Buffer.alloc(0),
  }
}

/** @throws PlainError */
export function contractsPageRequest(body: string): ContractsPageRequest {
  const { pageToken = Buffer.alloc(0), ...rest } = decode(contractsPageBody, body)
  return { ...rest, pageToken }
}

/** @throws PlainError */
export function pageRequest(body: string): UpdatesPageRequest {
  const { pageToken = Buffer.alloc(0), descendingOrder = false, ...rest } = decode(pageBody, body)
  return { ...rest, descendingOrder, pageToken }
}

/** @throws PlainError */
export function byOffsetRequest(body: string): UpdateRequest {
  const { offset, updateFormat } = decode(byOffsetBody, body)
  return { key: { by: 'offset', offset }, updateFormat }
}

/** @throws PlainError */
export function byIdRequest(body: string): UpdateRequest {
  const { updateId, updateFormat } = decode(byIdBody, body)
  return { key: { by: 'id', updateId }, updateFormat }
}

/** @throws PlainError */
export function byHashRequest(body: string): UpdateRequest {
  const { transactionHash, updateFormat } = decode(byHashBody, body)
  return { key: { by: 'hash', transactionHash }, updateFormat }
}

/** @throws CantonError where the two forms of a request break a rule (Canton's JSON layer, before any token is checked). */
function formOf<F>(asked: Asked<F>, format: string): F {
  switch (asked.kind) {
    case 'format':
      return asked.format
    case 'both-forms':
      throw new CantonError('bothForms', { format })
    case 'verbose-beside-format':
      throw new CantonError('verboseBesideFormat', { format })
    case 'no-form':
      throw new CantonError('noForm', { format })
  }
}
