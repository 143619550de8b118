import type { Party } from '../value.ts'

// The messages of Canton's update_service.proto and transaction_filter.proto that select updates and events.

/** Selects updates and their events. A kind of update that is left out is not delivered. */
export interface UpdateFormat {
  readonly includeTransactions: TransactionFormat | undefined
  readonly includeReassignments: EventFormat | undefined
  readonly includeTopologyEvents: TopologyFormat | undefined
}

/**
 * `ACS_DELTA`: what changes the set of active contracts, for their stakeholders. `LEDGER_EFFECTS`: the nodes of the
 * tree, for their witnesses.
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

/** The name of a template or an interface in a filter. */
export interface TypeReference {
  /** A name stands for all versions of a package. */
  readonly package: { readonly by: 'name' | 'id'; readonly value: string }
  /** `Module.Path:Entity` */
  readonly entity: string
}

const name = '[A-Za-z0-9_-]+'
const dotted = '[A-Za-z$_][\\w$]*(?:\\.[A-Za-z$_][\\w$]*)*'
const written = new RegExp(`^(?:#(${name})|([0-9a-f]{64})):(${dotted}:${dotted})$`)

/** Reads `#package-name:Module.Path:Entity`, or the same with a package id in place of `#package-name`. */
export function tryReference(text: string): TypeReference | undefined {
  const match = written.exec(text)
  if (match === null) return undefined
  const [, packageName, packageId = '', entity = ''] = match
  const of = packageName === undefined ? { by: 'id', value: packageId } : { by: 'name', value: packageName }
  return { package: of as TypeReference['package'], entity }
}

/** As `tryReference` reads it. */
export function referenceText({ package: { by, value }, entity }: TypeReference): string {
  return `${by === 'name' ? '#' : ''}${value}:${entity}`
}
