import type { Party } from '../value.ts'

// Types of Canton's update_service.proto and transaction_filter.proto. With them, a request selects updates
// and events.

/**
 * Selects updates and their events. If the format for a kind of update is undefined, updates of that kind are
 * not delivered.
 */
export interface UpdateFormat {
  readonly includeTransactions: TransactionFormat | undefined
  readonly includeReassignments: EventFormat | undefined
  readonly includeTopologyEvents: TopologyFormat | undefined
}

/**
 * Determines which events of a transaction are delivered, and to whom:
 * - `ACS_DELTA`: stakeholders get the creates and archives that change the active contracts (ACS: active
 *   contract set).
 * - `LEDGER_EFFECTS`: witnesses get all creates and exercises in the tree of the transaction.
 */
export type TransactionShape = 'ACS_DELTA' | 'LEDGER_EFFECTS'

export interface TransactionFormat {
  readonly eventFormat: EventFormat
  readonly transactionShape: TransactionShape
}

/**
 * Selects events. An event is selected if one of these filters matches it:
 * - a filter in `filtersForAnyParty`;
 * - a filter in `filtersByParty` for a party that is a witness of the event. In the shape `ACS_DELTA`, the
 *   party must be a stakeholder of the event's contract instead.
 */
export interface EventFormat {
  readonly filtersByParty: ReadonlyMap<Party, Filters>
  /** The filters that apply to the events of all parties; undefined if the request has none. */
  readonly filtersForAnyParty: Filters | undefined
  /**
   * True if the request asks for the names of record fields. This has no effect, because the JSON always has
   * them.
   */
  readonly verbose: boolean
}

/**
 * A list of filters. An event is selected if one of the filters matches the event. If the list is empty, or
 * all filters in it are of the kind `empty`, every event is selected.
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
  /**
   * Selects the events that a participant begins to host a party. If undefined, no topology events are
   * selected.
   */
  readonly includeParticipantAuthorizationEvents: ParticipantAuthorizationTopologyFormat | undefined
}

export interface ParticipantAuthorizationTopologyFormat {
  /** The parties whose events are selected. An empty list selects the events of all parties. */
  readonly parties: readonly Party[]
}

export function eventFormatsOf({ includeTransactions, includeReassignments }: UpdateFormat): EventFormat[] {
  return [includeTransactions?.eventFormat, includeReassignments].filter((format) => format !== undefined)
}

/** A reference in a filter to a template or an interface. */
export interface TypeReference {
  /** The package, by id or by name. A name refers to all versions of the package. */
  readonly package: { readonly by: 'name' | 'id'; readonly value: string }
  /** The name of the template or interface: `Module.Path:Entity`. */
  readonly entity: string
}

const name = '[A-Za-z0-9_-]+'
const dotted = '[A-Za-z$_][\\w$]*(?:\\.[A-Za-z$_][\\w$]*)*'
const written = new RegExp(`^(?:#(${name})|([0-9a-f]{64})):(${dotted}:${dotted})$`)

/**
 * Parses a reference to a template or an interface: `#package-name:Module.Path:Entity` or
 * `<package id>:Module.Path:Entity`. Undefined if the text matches neither.
 */
export function tryReference(text: string): TypeReference | undefined {
  const match = written.exec(text)
  if (match === null) return undefined
  const [, packageName, packageId = '', entity = ''] = match
  const of = packageName === undefined ? { by: 'id', value: packageId } : { by: 'name', value: packageName }
  return { package: of as TypeReference['package'], entity }
}

/** Formats a reference as `tryReference` parses it. */
export function referenceText({ package: { by, value }, entity }: TypeReference): string {
  return `${by === 'name' ? '#' : ''}${value}:${entity}`
}
