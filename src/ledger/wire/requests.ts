import { z } from 'zod'
import { CantonError } from '../../errors/canton.ts'
import type { EventFormat, UpdateFormat } from '../visibility/format.ts'
import {
  askedContracts,
  askedUpdates,
  type OlderForm,
  type RequestedFormat,
} from '../visibility/older-form.ts'
import { eventFormat, type Requested, transactionFilter, updateFormat } from './formats.ts'
import { bytes, decode, flag, optional, optionalInt64, requiredInt64, text } from './relaxed.ts'

/**
 * Canton's `GetUpdatesRequest`. The fields `filter` and `verbose` of older requests are converted
 * to `updateFormat`.
 */
export interface UpdatesRequest {
  readonly beginExclusive: number
  readonly endInclusive: number | undefined
  readonly descendingOrder: boolean
  readonly updateFormat: Requested<UpdateFormat>
}

/**
 * Canton's `GetActiveContractsRequest`. The fields `filter` and `verbose` of older requests are
 * converted to `eventFormat`.
 */
export interface ActiveContractsRequest {
  readonly activeAtOffset: number
  readonly eventFormat: EventFormat
  readonly streamContinuationToken: Buffer
}

export interface ContractsPageRequest {
  /**
   * If undefined, the offset in the page token applies. On the first page, which has no token, the
   * end of the ledger applies.
   */
  readonly activeAtOffset: number | undefined
  readonly eventFormat: EventFormat | undefined
  readonly maxPageSize: number | undefined
  readonly pageToken: Buffer
}

/**
 * Canton's `CompletionStreamRequest` about one user's commands (`completions`), or its
 * `GetCompletionsRequest` about those of all users (`command-completions`).
 */
export interface CompletionsRequest {
  readonly of: 'completions' | 'command-completions'
  /** Empty for the user of the token. */
  readonly userId: string
  /** `command-completions` takes an empty list for all parties. */
  readonly parties: readonly string[]
  readonly beginExclusive: number
}

/** Canton's `GetConnectedSynchronizersRequest`, from the query of the URL. */
export interface SynchronizersRequest {
  readonly party: string | undefined
  readonly participantId: string | undefined
  readonly identityProviderId: string | undefined
}

/**
 * Canton's `GetUpdatesPageRequest`. Without offsets, the range is all updates that are not pruned.
 */
export interface UpdatesPageRequest {
  readonly beginOffsetExclusive: number | undefined
  readonly endOffsetInclusive: number | undefined
  readonly maxPageSize: number | undefined
  readonly updateFormat: Requested<UpdateFormat> | undefined
  readonly descendingOrder: boolean
  readonly pageToken: Buffer
}

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

const commandCompletions = z.object({
  parties: z.array(z.string()).default([]),
  beginExclusive: optionalInt64,
})
export const completionsBodies = {
  'command-completions': commandCompletions,
  completions: commandCompletions.extend({ parties: z.array(z.string()), userId: text }),
}

export const byOffsetBody = z.object({
  offset: requiredInt64.default(0),
  updateFormat: optional(updateFormat),
})
export const byIdBody = z.object({ updateId: text, updateFormat: optional(updateFormat) })
export const byHashBody = z.object({ transactionHash: bytes, updateFormat: optional(updateFormat) })

/** The requests that may have the fields `filter` and `verbose`, which Canton 3.6 refuses. */
export type DeprecatedFields = 'all' | 'updates' | 'none'

/**
 * @throws PlainError if the body does not match the schema. CantonError if it has a wrong
 * combination of `updateFormat`, `filter` and `verbose`.
 */
export function updatesRequest(body: string, taken: DeprecatedFields): UpdatesRequest {
  const { beginExclusive, endInclusive, descendingOrder, ...given } = decode(updatesBody, body)
  if (taken === 'none') refuseDeprecated(given, 'updates', 'updateFormat')
  const asked = askedUpdates(given.updateFormat?.format, given)
  const requested = { format: formOf(asked, 'updateFormat'), missingField: given.updateFormat?.missingField }
  return { beginExclusive, endInclusive, descendingOrder, updateFormat: requested }
}

/**
 * @throws PlainError if the body does not match the schema. CantonError if it has a wrong
 * combination of `eventFormat`, `filter` and `verbose`.
 */
export function activeContractsRequest(body: string, taken: DeprecatedFields): ActiveContractsRequest {
  const { activeAtOffset, streamContinuationToken, ...given } = decode(activeContractsBody, body)
  if (taken !== 'all') refuseDeprecated(given, 'state/active-contracts', 'eventFormat')
  return {
    activeAtOffset,
    eventFormat: formOf(askedContracts(given.eventFormat, given), 'eventFormat'),
    streamContinuationToken: streamContinuationToken ?? Buffer.alloc(0),
  }
}

export function contractsPageRequest(body: string): ContractsPageRequest {
  const { pageToken = Buffer.alloc(0), ...rest } = decode(contractsPageBody, body)
  return { ...rest, pageToken }
}

export function pageRequest(body: string): UpdatesPageRequest {
  const { pageToken = Buffer.alloc(0), descendingOrder = false, ...rest } = decode(pageBody, body)
  return { ...rest, descendingOrder, pageToken }
}

export function completionsRequest(body: string, of: CompletionsRequest['of']): CompletionsRequest {
  const { beginExclusive = 0, ...given } = decode(completionsBodies[of], body)
  return { of, userId: '', ...given, beginExclusive }
}

export function byOffsetRequest(body: string): UpdateRequest {
  const { offset, updateFormat } = decode(byOffsetBody, body)
  return { key: { by: 'offset', offset }, updateFormat }
}

export function byIdRequest(body: string): UpdateRequest {
  const { updateId, updateFormat } = decode(byIdBody, body)
  return { key: { by: 'id', updateId }, updateFormat }
}

export function byHashRequest(body: string): UpdateRequest {
  const { transactionHash, updateFormat } = decode(byHashBody, body)
  return { key: { by: 'hash', transactionHash }, updateFormat }
}

function refuseDeprecated({ filter, verbose }: OlderForm, path: string, instead: string): void {
  if (filter === undefined && !verbose) return
  const api = `The fields filter/verbose of the /v2/${path} requests`
  throw new CantonError('deprecated', { api, since: '3.4', instead })
}

/**
 * Rejects a wrong combination of fields while the request is decoded, because Canton reports such a
 * combination before it checks the token.
 */
function formOf<F>(asked: RequestedFormat<F>, format: string): F {
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
