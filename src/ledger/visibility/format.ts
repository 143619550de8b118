import type { Party } from '../value.ts'
import type { TypeReference } from './reference.ts'

// The messages of Canton's update_service.proto and transaction_filter.proto that say what a reader asks for.

/** Which updates, and what of each. What is left out is not delivered. */
export interface UpdateFormat {
  readonly includeTransactions: TransactionFormat | undefined
  readonly includeReassignments: EventFormat | undefined
  readonly includeTopologyEvents: TopologyFormat | undefined
}

/**
 * `ACS_DELTA`: what changes the set of active contracts, for their stakeholders. `LEDGER_EFFECTS`: the nodes of the
 * tree, for who witnesses them.
 */
export type TransactionShape = 'ACS_DELTA' | 'LEDGER_EFFECTS'

export interface TransactionFormat {
  readonly eventFormat: EventFormat
  readonly transactionShape: TransactionShape
}

/** Which events: those of any of the filters. */
export interface EventFormat {
  readonly filtersByParty: ReadonlyMap<Party, Filters>
  /** Holds for all parties of the ledger. */
  readonly filtersForAnyParty: Filters | undefined
  /** Changes nothing in JSON, where fields always have their names. */
  readonly verbose: boolean
}

/** They add up. None, or none but empty ones, stand for a wildcard. */
export interface Filters {
  readonly cumulative: readonly CumulativeFilter[]
}

export type CumulativeFilter =
  | { readonly kind: 'empty' }
  | { readonly kind: 'wildcard'; readonly includeCreatedEventBlob: boolean }
  | {
      readonly kind: 'template'
      readonly templateId: TypeReference
      readonly includeCreatedEventBlob: boolean
    }
  | {
      readonly kind: 'interface'
      readonly interfaceId: TypeReference
      readonly includeInterfaceView: boolean
      readonly includeCreatedEventBlob: boolean
    }

export interface TopologyFormat {
  readonly includeParticipantAuthorizationEvents: ParticipantAuthorizationTopologyFormat | undefined
}

export interface ParticipantAuthorizationTopologyFormat {
  /** None stand for all. */
  readonly parties: readonly Party[]
}

/** The formats of events that are part of one of updates. */
export function eventFormatsOf({ includeTransactions, includeReassignments }: UpdateFormat): EventFormat[] {
  return [includeTransactions?.eventFormat, includeReassignments].filter((format) => format !== undefined)
}
