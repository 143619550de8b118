import type { Party } from '../value.ts'

// The messages of Canton's update_service.proto and transaction_filter.proto that select updates and events.

/** Selects updates and their events. Kinds of updates without a format here are not delivered. */
export interface UpdateFormat {
  readonly includeTransactions: TransactionFormat | undefined
  readonly includeReassignments: EventFormat | undefined
  readonly includeTopologyEvents: TopologyFormat | undefined
}

/**
 * `ACS_DELTA`: the creates and archives that change the active contracts, delivered to stakeholders.
 * `LEDGER_EFFECTS`: all nodes of the transaction's tree, delivered to witnesses.
 */
export type TransactionShape = 'ACS_DELTA' | 'LEDGER_EFFECTS'

export interface TransactionFormat {
  readonly eventFormat: EventFormat
  readonly transactionShape: TransactionShape
}

/**
 * Selects events. An event is selected if the filters for any party match it, or the filters of one of its witnesses
 * (in the shape `ACS_DELTA`: one of its stakeholders).
 */
export interface EventFormat {
  readonly filtersByParty: ReadonlyMap<Party, Filters>
  /** The filters that apply to all parties of the ledger; undefined if there are none. */
  readonly filtersForAnyParty: Filters | undefined
  /** Asks for the names of fields. It has no effect here, because JSON always has them. */
  readonly verbose: boolean
}

/**
 * Filters for the events of a party. One of them must match. If the list is empty, or all filters in it are empty,
 * every event matches.
 */
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
  /** The parties whose events are selected. Empty for all parties. */
  readonly parties: readonly Party[]
}

/** Returns the event formats inside an update format. */
export function eventFormatsOf({ includeTransactions, includeReassignments }: UpdateFormat): EventFormat[] {
  return [includeTransactions?.eventFormat, includeReassignments].filter((format) => format !== undefined)
}

/** A filter's reference to a template or an interface. */
export interface TypeReference {
  /** The package by id, or by name, which stands for all versions of the package. */
  readonly package: { readonly by: 'name' | 'id'; readonly value: string }
  /** The name of the template or interface: `Module.Path:Entity`. */
  readonly entity: string
}

const name = '[A-Za-z0-9_-]+'
const dotted = '[A-Za-z$_][\\w$]*(?:\\.[A-Za-z$_][\\w$]*)*'
const written = new RegExp(`^(?:#(${name})|([0-9a-f]{64})):(${dotted}:${dotted})$`)

/**
 * Parses a reference: `#package-name:Module.Path:Entity`, or the same with a package id in place of `#package-name`.
 * Undefined if the text has another form.
 */
export function tryReference(text: string): TypeReference | undefined {
  const match = written.exec(text)
  if (match === null) return undefined
  const [, packageName, packageId = '', entity = ''] = match
  const of = packageName === undefined ? { by: 'id', value: packageId } : { by: 'name', value: packageName }
  return { package: of as TypeReference['package'], entity }
}

/** Formats a reference in the form that `tryReference` parses. */
export function referenceText({ package: { by, value }, entity }: TypeReference): string {
  return `${by === 'name' ? '#' : ''}${value}:${entity}`
}
