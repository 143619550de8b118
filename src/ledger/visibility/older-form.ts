import type { EventFormat, UpdateFormat } from './format.ts'

/**
 * `TransactionFilter` of Canton's JSON Ledger API. Older requests select events with this filter. Newer
 * requests have an `EventFormat` or an `UpdateFormat` instead.
 */
export type TransactionFilter = Pick<EventFormat, 'filtersByParty' | 'filtersForAnyParty'>

/**
 * The fields `filter` and `verbose`, by which older requests select events. In newer requests, `filter` is
 * missing.
 */
export interface OlderForm {
  readonly filter: TransactionFilter | undefined
  readonly verbose: boolean
}

/**
 * The format that a request asks for, or the rule that the request breaks:
 * - `both-forms`: it has both a format and `filter`.
 * - `verbose-beside-format`: it has a format, and `verbose` is true.
 * - `no-form`: it has neither a format nor `filter`.
 */
export type Asked<F> =
  | { readonly kind: 'format'; readonly format: F }
  | { readonly kind: 'both-forms' }
  | { readonly kind: 'verbose-beside-format' }
  | { readonly kind: 'no-form' }

/**
 * Returns the update format that a request asks for. The `filter` of an older request is converted to a
 * format.
 */
export function askedUpdates(format: UpdateFormat | undefined, older: OlderForm): Asked<UpdateFormat> {
  return asked(format, older, updatesOf)
}

/**
 * Returns the event format that a request for active contracts asks for. The `filter` of an older request is
 * converted to a format.
 */
export function askedContracts(format: EventFormat | undefined, older: OlderForm): Asked<EventFormat> {
  return asked(format, older, eventsOf)
}

function asked<F>(
  format: F | undefined,
  { filter, verbose }: OlderForm,
  standsFor: (filter: TransactionFilter, verbose: boolean) => F,
): Asked<F> {
  if (format === undefined && filter === undefined) return { kind: 'no-form' }
  if (format === undefined) return { kind: 'format', format: standsFor(filter as TransactionFilter, verbose) }
  if (filter !== undefined) return { kind: 'both-forms' }
  return verbose ? { kind: 'verbose-beside-format' } : { kind: 'format', format }
}

function updatesOf(filter: TransactionFilter, verbose: boolean): UpdateFormat {
  const events = eventsOf(filter, verbose)
  return {
    includeTransactions: { eventFormat: events, transactionShape: 'ACS_DELTA' },
    includeReassignments: events,
    includeTopologyEvents: topologyOf(filter),
  }
}

function eventsOf({ filtersByParty, filtersForAnyParty }: TransactionFilter, verbose: boolean): EventFormat {
  return { filtersByParty, filtersForAnyParty, verbose }
}

/**
 * Converts a filter to the format that selects the same topology events:
 * - A filter with `filtersForAnyParty` selects all topology events.
 * - Any other filter selects the topology events of the parties in `filtersByParty`. If there are no such
 *   parties, the result is undefined, because an empty list of parties would select all events.
 */
function topologyOf(filter: TransactionFilter): UpdateFormat['includeTopologyEvents'] {
  const { filtersByParty, filtersForAnyParty } = filter
  if (filtersForAnyParty !== undefined) return { includeParticipantAuthorizationEvents: { parties: [] } }
  if (filtersByParty.size === 0) return undefined
  return { includeParticipantAuthorizationEvents: { parties: [...filtersByParty.keys()] } }
}
