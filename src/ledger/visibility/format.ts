import type { Party } from '../value.ts'

// Types of Canton's update_service.proto and transaction_filter.proto, by which a request selects
// updates and events.

/** If the format for a kind of update is undefined, updates of that kind are not delivered. */
export interface UpdateFormat {
  readonly includeTransactions: TransactionFormat | undefined
  readonly includeReassignments: EventFormat | undefined
  readonly includeTopologyEvents: TopologyFormat | undefined
}

/**
 * - `ACS_DELTA`: stakeholders get the creates and archives that change the active contract set
 *   (ACS).
 * - `LEDGER_EFFECTS`: witnesses get all creates and exercises in the tree of the transaction.
 */
export type TransactionShape = 'ACS_DELTA' | 'LEDGER_EFFECTS'

export interface TransactionFormat {
  readonly eventFormat: EventFormat
  readonly transactionShape: TransactionShape
}

/**
 * An event is selected in two cases: a filter in `filtersForAnyParty` matches it, or a filter of
 * one of its witnesses does. In the shape `ACS_DELTA`, only stakeholders of the contract count as
 * witnesses.
 */
export interface EventFormat {
  readonly filtersByParty: ReadonlyMap<Party, Filters>
  readonly filtersForAnyParty: Filters | undefined
  /**
   * Canton's flag for the names of record fields. It has no effect, because the JSON always has
   * them.
   */
  readonly verbose: boolean
}

/**
 * An event is selected if one filter matches it. An empty list, or one with only `empty` filters,
 * selects every event.
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
  /** An empty list selects the events of all parties. */
  readonly parties: readonly Party[]
}

export function eventFormatsOf({ includeTransactions, includeReassignments }: UpdateFormat): EventFormat[] {
  return [includeTransactions?.eventFormat, includeReassignments].filter((format) => format !== undefined)
}

export interface TypeReference {
  /** A package name refers to all versions of the package. */
  readonly package: { readonly by: 'name' | 'id'; readonly value: string }
  readonly entity: string
}

const name = '[A-Za-z0-9_-]+'
const dotted = '[A-Za-z$_][\\w$]*(?:\\.[A-Za-z$_][\\w$]*)*'
const written = new RegExp(`^(?:#(${name})|([0-9a-f]{64})):(${dotted}:${dotted})$`)

/** Parses `#package-name:Module.Path:Entity` or `<package id>:Module.Path:Entity`. */
export function tryReference(text: string): TypeReference | undefined {
  const match = written.exec(text)
  if (match === null) return undefined
  const [, packageName, packageId = '', entity = ''] = match
  const of = packageName === undefined ? { by: 'id', value: packageId } : { by: 'name', value: packageName }
  return { package: of as TypeReference['package'], entity }
}

export function referenceText({ package: { by, value }, entity }: TypeReference): string {
  return `${by === 'name' ? '#' : ''}${value}:${entity}`
}
