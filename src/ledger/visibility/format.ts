import type { Party } from '../value.ts'

// The types of Canton's update_service.proto and transaction_filter.proto by which a request selects updates and
// events.

/** A selection of updates and their events. A kind of update whose format is undefined is not delivered. */
export interface UpdateFormat {
  readonly includeTransactions: TransactionFormat | undefined
  readonly includeReassignments: EventFormat | undefined
  readonly includeTopologyEvents: TopologyFormat | undefined
}

/**
 * Which events of a transaction are delivered.
 * - `ACS_DELTA`: to stakeholders, the creates and archives that change the active contracts (ACS: active contract set).
 * - `LEDGER_EFFECTS`: to witnesses, all creates and exercises of the transaction's tree.
 */
export type TransactionShape = 'ACS_DELTA' | 'LEDGER_EFFECTS'

export interface TransactionFormat {
  readonly eventFormat: EventFormat
  readonly transactionShape: TransactionShape
}

/**
 * A selection of events. An event is selected if one of these filters matches it:
 * - a filter in `filtersForAnyParty`;
 * - a filter that `filtersByParty` has for a witness of the event. In the shape `ACS_DELTA`, the stakeholders of the
 *   event's contract count in place of the witnesses.
 */
export interface EventFormat {
  readonly filtersByParty: ReadonlyMap<Party, Filters>
  /** The filters that apply to the events of all parties; undefined if there are none. */
  readonly filtersForAnyParty: Filters | undefined
  /** Whether the request asks for the names of fields. This has no effect, because JSON always has them. */
  readonly verbose: boolean
}

/**
 * Filters for the events of a party. An event is selected if one of them matches it. If the list is empty, or all
 * filters in it are of the kind `empty`, every event is selected.
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
  /** Selects events of participants that begin to host a party. Undefined to select none. */
  readonly includeParticipantAuthorizationEvents: ParticipantAuthorizationTopologyFormat | undefined
}

export interface ParticipantAuthorizationTopologyFormat {
  /** The parties whose events are selected. An empty list selects the events of all parties. */
  readonly parties: readonly Party[]
}

/** Returns the event formats that an update format contains. */
export function eventFormatsOf({ includeTransactions, includeReassignments }: UpdateFormat): EventFormat[] {
  return [includeTransactions?.eventFormat, includeReassignments].filter((format) => format !== undefined)
}

/** A filter's reference to a template or an interface. */
export interface TypeReference {
  /** The package, by its id or by its name. A name stands for all versions of the package. */
  readonly package: { readonly by: 'name' | 'id'; readonly value: string }
  /** The name of the template or interface: `Module.Path:Entity`. */
  readonly entity: string
}

const name = '[A-Za-z0-9_-]+'
const dotted = '[A-Za-z$_][\\w$]*(?:\\.[A-Za-z$_][\\w$]*)*'
const written = new RegExp(`^(?:#(${name})|([0-9a-f]{64})):(${dotted}:${dotted})$`)

/**
 * Parses a reference to a template or an interface: `#package-name:Module.Path:Entity` or `<package
 * id>:Module.Path:Entity`. Undefined if the text has another form.
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
