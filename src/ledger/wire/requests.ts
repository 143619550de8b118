import { z } from 'zod'
import { CantonError } from '../../errors/canton.ts'
import type { EventFormat, UpdateFormat } from '../visibility/format.ts'
import { type Asked, askedContracts, askedUpdates } from '../visibility/older-form.ts'
import { eventFormat, type Requested, transactionFilter, updateFormat } from './formats.ts'
import { bytes, decode, flag, optional, optionalInt64, requiredInt64, text } from './relaxed.ts'

/**
 * A decoded `GetUpdatesRequest` of Canton's JSON Ledger API. Older requests have the fields `filter` and
 * `verbose`, which are converted to `updateFormat`.
 */
export interface UpdatesRequest {
  readonly beginExclusive: number
  /** The last offset of the stream. If undefined, the stream has no end. */
  readonly endInclusive: number | undefined
  readonly descendingOrder: boolean
  readonly updateFormat: Requested<UpdateFormat>
}

/**
 * A decoded `GetActiveContractsRequest` of Canton's JSON Ledger API. Older requests have the fields `filter`
 * and `verbose`, which are converted to `eventFormat`.
 */
export interface ActiveContractsRequest {
  readonly activeAtOffset: number
  readonly eventFormat: EventFormat
  /**
   * The token of the last element that the caller received on an earlier connection; the list continues after
   * that element. Empty to begin with the first contract.
   */
  readonly streamContinuationToken: Buffer
}

/**
 * A decoded `GetActiveContractsPageRequest` of Canton's JSON Ledger API. Fields that the request lacks are
 * undefined.
 */
export interface ContractsPageRequest {
  /**
   * The offset at which the contracts must be active. If undefined, the offset in the page token applies.
   * Without a token, which means on the first page, the offset of the ledger's end applies.
   */
  readonly activeAtOffset: number | undefined
  readonly eventFormat: EventFormat | undefined
  readonly maxPageSize: number | undefined
  /** The token for this page, from the previous page. Empty for the first page. */
  readonly pageToken: Buffer
}

/**
 * A decoded `GetConnectedSynchronizersRequest` of Canton's JSON Ledger API. The fields are the parameters in
 * the query of the URL. Missing parameters are undefined.
 */
export interface SynchronizersRequest {
  readonly party: string | undefined
  /** The participant that hosts the party. If undefined, the participant that serves this API. */
  readonly participantId: string | undefined
  readonly identityProviderId: string | undefined
}

/**
 * A decoded `GetUpdatesPageRequest` of Canton's JSON Ledger API. Fields that the request lacks are
 * undefined. Without offsets, the range begins after the pruned updates and ends at the ledger's end.
 */
export interface UpdatesPageRequest {
  readonly beginOffsetExclusive: number | undefined
  readonly endOffsetInclusive: number | undefined
  readonly maxPageSize: number | undefined
  readonly updateFormat: Requested<UpdateFormat> | undefined
  readonly descendingOrder: boolean
  /** The token for this page, from the previous page. Empty for the first page. */
  readonly pageToken: Buffer
}

export type UpdateKey =
  | { readonly by: 'offset'; readonly offset: number }
  | { readonly by: 'id'; readonly updateId: string }
  | { readonly by: 'hash'; readonly transactionHash: Buffer }

export interface UpdateRequest {
  readonly key: UpdateKey
  /** Undefined if the request has no format. */
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

/**
 * @throws PlainError if the body does not match the schema. CantonError if it has a wrong combination of
 * `updateFormat`, `filter` and `verbose`.
 */
export function updatesRequest(body: string): UpdatesRequest {
  const { beginExclusive, endInclusive, descendingOrder, ...given } = decode(updatesBody, body)
  const asked = askedUpdates(given.updateFormat?.format, given)
  const requested = { format: formOf(asked, 'updateFormat'), missing: given.updateFormat?.missing }
  return { beginExclusive, endInclusive, descendingOrder, updateFormat: requested }
}

/**
 * @throws PlainError if the body does not match the schema. CantonError if it has a wrong combination of
 * `eventFormat`, `filter` and `verbose`.
 */
export function activeContractsRequest(body: string): ActiveContractsRequest {
  const { activeAtOffset, streamContinuationToken, ...given } = decode(activeContractsBody, body)
  return {
    activeAtOffset,
    eventFormat: formOf(askedContracts(given.eventFormat, given), 'eventFormat'),
    streamContinuationToken: streamContinuationToken ?? Buffer.alloc(0),
  }
}

/** @throws PlainError if the body does not match the schema. */
export function contractsPageRequest(body: string): ContractsPageRequest {
  const { pageToken = Buffer.alloc(0), ...rest } = decode(contractsPageBody, body)
  return { ...rest, pageToken }
}

/**
 * Decodes a request for a page of updates.
 * @throws PlainError if the body does not match the schema.
 */
export function pageRequest(body: string): UpdatesPageRequest {
  const { pageToken = Buffer.alloc(0), descendingOrder = false, ...rest } = decode(pageBody, body)
  return { ...rest, descendingOrder, pageToken }
}

/** @throws PlainError if the body does not match the schema. */
export function byOffsetRequest(body: string): UpdateRequest {
  const { offset, updateFormat } = decode(byOffsetBody, body)
  return { key: { by: 'offset', offset }, updateFormat }
}

/** @throws PlainError if the body does not match the schema. */
export function byIdRequest(body: string): UpdateRequest {
  const { updateId, updateFormat } = decode(byIdBody, body)
  return { key: { by: 'id', updateId }, updateFormat }
}

/** @throws PlainError if the body does not match the schema. */
export function byHashRequest(body: string): UpdateRequest {
  const { transactionHash, updateFormat } = decode(byHashBody, body)
  return { key: { by: 'hash', transactionHash }, updateFormat }
}

/**
 * Returns the format that a request asks for. Canton reports a wrong combination of fields before it checks
 * the token. Decoding a request therefore already rejects a wrong combination.
 * @param asked the result of `askedUpdates` or `askedContracts`.
 * @param format the name of the field that holds the format. Error messages quote it.
 * @throws CantonError if the request has both a format and `filter`, neither of them, or a format and
 * `verbose`.
 */
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
