import { z } from 'zod'
import { CantonError } from '../../../base/errors/canton.ts'
import {
  type EventFormat,
  eventFormat,
  transactionFilter,
  type UpdateFormat,
  updateFormat,
  updatesOf,
} from './formats.ts'
import { bytes, decode, flag, optional, optionalInt64, requiredInt64, text } from './relaxed.ts'

/** An empty token is none. */
const token = optional(bytes).transform((given) => (given?.length === 0 ? undefined : given))
const older = { filter: optional(transactionFilter), verbose: flag }

/** Canton's `GetUpdatesRequest`. */
export const updatesBody = z.object({
  beginExclusive: requiredInt64,
  endInclusive: optionalInt64,
  descendingOrder: flag,
  updateFormat: optional(updateFormat),
  ...older,
})

/** Canton's `GetActiveContractsRequest`. */
export const activeContractsBody = z.object({
  activeAtOffset: requiredInt64.default(0),
  eventFormat: optional(eventFormat),
  streamContinuationToken: token,
  ...older,
})

/**
 * Without `activeAtOffset`, the offset in the page token applies. On the first page, which has no
 * token, the end of the ledger applies.
 */
export const contractsPageBody = z.object({
  activeAtOffset: optionalInt64,
  eventFormat: optional(eventFormat),
  maxPageSize: optionalInt64,
  pageToken: token,
})
export type ContractsPageRequest = z.output<typeof contractsPageBody>

/**
 * Canton's `GetUpdatesPageRequest`. Without offsets, the range is all updates.
 */
export const pageBody = z.object({
  beginOffsetExclusive: optionalInt64,
  endOffsetInclusive: optionalInt64,
  maxPageSize: optionalInt64,
  updateFormat: optional(updateFormat),
  descendingOrder: optional(z.boolean()),
  pageToken: token,
})
export type UpdatesPageRequest = z.output<typeof pageBody>

const commandCompletions = z.object({
  parties: z.array(z.string()).default([]),
  beginExclusive: optionalInt64,
})

/**
 * Canton's `CompletionStreamRequest` about one user's commands (`completions`), and its
 * `GetCompletionsRequest` about those of all users. The latter takes an empty list for all parties.
 */
export const completionsBodies = {
  'command-completions': commandCompletions,
  completions: commandCompletions.extend({ parties: z.array(z.string()), userId: text }),
}
export type CompletionsOf = keyof typeof completionsBodies
export type CompletionsRequest = z.output<typeof commandCompletions> & { readonly userId?: string }

export const updateKeys = {
  offset: z.object({ offset: requiredInt64.default(0), updateFormat: optional(updateFormat) }),
  id: z.object({ updateId: text, updateFormat: optional(updateFormat) }),
  hash: z.object({ transactionHash: bytes, updateFormat: optional(updateFormat) }),
}
export type UpdateRequest = z.output<(typeof updateKeys)[keyof typeof updateKeys]>

/** Canton's `GetConnectedSynchronizersRequest`, from the query of the URL. */
export interface SynchronizersRequest {
  readonly party: string | undefined
  readonly participantId: string | undefined
}

/** The requests that may have the fields `filter` and `verbose`, which Canton 3.6 refuses. */
export type DeprecatedFields = 'all' | 'updates' | 'none'

/**
 * Decodes a request for updates. If it has the older fields `filter` and `verbose`, they are
 * converted to `updateFormat`.
 * @throws PlainError if the body does not match the schema. CantonError if it has a wrong
 * combination of `updateFormat`, `filter` and `verbose`.
 */
export function updatesRequest(body: string, taken: DeprecatedFields) {
  const { updateFormat: format, filter, verbose, ...rest } = decode(updatesBody, body)
  if (taken === 'none') refuseDeprecated({ filter, verbose }, 'updates', 'updateFormat')
  const asked = formOf(format, { filter, verbose }, 'updateFormat', updatesOf)
  return { ...rest, updateFormat: asked satisfies UpdateFormat }
}
export type UpdatesRequest = ReturnType<typeof updatesRequest>

/** Decodes a request for active contracts as `updatesRequest` does one for updates. */
export function activeContractsRequest(body: string, taken: DeprecatedFields) {
  const { eventFormat: format, filter, verbose, ...rest } = decode(activeContractsBody, body)
  if (taken !== 'all') refuseDeprecated({ filter, verbose }, 'state/active-contracts', 'eventFormat')
  const asked = formOf(format, { filter, verbose }, 'eventFormat', (events) => events)
  return { ...rest, eventFormat: asked }
}
export type ActiveContractsRequest = ReturnType<typeof activeContractsRequest>

interface OlderForm {
  readonly filter: EventFormat | undefined
  readonly verbose: boolean
}

function refuseDeprecated({ filter, verbose }: OlderForm, path: string, instead: string): void {
  if (filter === undefined && !verbose) return
  const api = `The fields filter/verbose of the /v2/${path} requests`
  throw new CantonError('deprecated', { api, since: '3.4', instead })
}

/**
 * A request must have either a format or an older `filter`. Only a request with `filter` may have
 * `verbose`. Canton reports a wrong combination before it checks the reader's rights.
 */
function formOf<F>(
  format: F | undefined,
  { filter, verbose }: OlderForm,
  name: 'updateFormat' | 'eventFormat',
  standsFor: (filter: EventFormat) => F,
): F {
  if (format === undefined) {
    if (filter === undefined) throw new CantonError('noForm', { format: name })
    return standsFor(filter)
  }
  if (filter !== undefined) throw new CantonError('bothForms', { format: name })
  if (verbose) throw new CantonError('verboseBesideFormat', { format: name })
  return format
}
