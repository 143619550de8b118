import type { EventFormat, UpdateFormat } from './format.ts'

/** `TransactionFilter` of Canton's JSON Ledger API. It selects events in the older form of requests. */
export type TransactionFilter = Pick<EventFormat, 'filtersByParty' | 'filtersForAnyParty'>

/** The members `filter` and `verbose`, with which requests of the older form select events instead of by a format. */
export interface OlderForm {
  readonly filter: TransactionFilter | undefined
  readonly verbose: boolean
}

/**
 * The format that a request asks for, or the rule that the request breaks. A request has either a format or the older
 * members `filter` and `verbose`. If it has a format, `verbose` must not be true.
 */
export type Asked<F> =
  | { readonly kind: 'format'; readonly format: F }
  | { readonly kind: 'both-forms' }
  | { readonly kind: 'verbose-beside-format' }
  | { readonly kind: 'no-form' }

/** Returns the update format of a request. If the request has the older form, converts that to a format. */
export function askedUpdates(format: UpdateFormat | undefined, older: OlderForm): Asked<UpdateFormat> {
  return asked(format, older, updatesOf)
}

/**
 * Returns the event format of a request for active contracts. If the request has the older form, converts that to a
 * format.
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
 * Returns the topology events that a filter selects. Without filters it returns undefined, because an empty list
 * would select all events.
 */
function topologyOf(filter: TransactionFilter): UpdateFormat['includeTopologyEvents'] {
  const { filtersByParty, filtersForAnyParty } = filter
  if (filtersForAnyParty !== undefined) return { includeParticipantAuthorizationEvents: { parties: [] } }
  if (filtersByParty.size === 0) return undefined
  return { includeParticipantAuthorizationEvents: { parties: [...filtersByParty.keys()] } }
}
