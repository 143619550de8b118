import type { EventFormat, UpdateFormat } from './format.ts'

/** The filter of older requests. Newer requests have an `EventFormat` or an `UpdateFormat`. */
export type TransactionFilter = Pick<EventFormat, 'filtersByParty' | 'filtersForAnyParty'>

export interface OlderForm {
  readonly filter: TransactionFilter | undefined
  readonly verbose: boolean
}

/**
 * The format that a request asks for, or the rule that the request breaks. A request must have
 * either a format or an older `filter`. Only a request with `filter` may have `verbose`.
 */
export type RequestedFormat<F> =
  | { readonly kind: 'format'; readonly format: F }
  | { readonly kind: 'both-forms' }
  | { readonly kind: 'verbose-beside-format' }
  | { readonly kind: 'no-form' }

export function askedUpdates(
  format: UpdateFormat | undefined,
  older: OlderForm,
): RequestedFormat<UpdateFormat> {
  return asked(format, older, updatesOf)
}

export function askedContracts(
  format: EventFormat | undefined,
  older: OlderForm,
): RequestedFormat<EventFormat> {
  return asked(format, older, eventsOf)
}

function asked<F>(
  format: F | undefined,
  { filter, verbose }: OlderForm,
  standsFor: (filter: TransactionFilter, verbose: boolean) => F,
): RequestedFormat<F> {
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
 * An empty list of parties would select all topology events, so a filter without parties gives
 * undefined.
 */
function topologyOf(filter: TransactionFilter): UpdateFormat['includeTopologyEvents'] {
  const { filtersByParty, filtersForAnyParty } = filter
  if (filtersForAnyParty !== undefined) return { includeParticipantAuthorizationEvents: { parties: [] } }
  if (filtersByParty.size === 0) return undefined
  return { includeParticipantAuthorizationEvents: { parties: [...filtersByParty.keys()] } }
}
