import {
  bytesAt,
  type Decode,
  enumAt,
  flagAt,
  int64At,
  type Json,
  listAt,
  noVariant,
  objectAt,
  oneOfAt,
  optional,
  referenceAt,
  textAt,
} from './json.ts'

export type Filter =
  | { readonly kind: 'empty' }
  | { readonly kind: 'wildcard'; readonly blob: boolean }
  | { readonly kind: 'template'; readonly id: string; readonly blob: boolean }
  | { readonly kind: 'interface'; readonly id: string; readonly blob: boolean; readonly view: boolean }

export interface EventFormat {
  readonly byParty: ReadonlyMap<string, readonly Filter[]>
  readonly any: readonly Filter[] | undefined
  /** The answers do not depend on `isVerbose`, but page tokens are bound to the whole format. */
  readonly isVerbose: boolean
}

export type Shape = 'TRANSACTION_SHAPE_ACS_DELTA' | 'TRANSACTION_SHAPE_LEDGER_EFFECTS'

export interface TransactionFormat {
  readonly events: EventFormat | undefined
  readonly shape: Shape | 'TRANSACTION_SHAPE_UNSPECIFIED' | undefined
}

export interface UpdateFormat {
  readonly transactions: TransactionFormat | undefined
  readonly reassignments: EventFormat | undefined
  /**
   * The parties whose topology events are included. An empty list means all parties; undefined means no topology
   * events.
   */
  readonly topology: readonly string[] | undefined
}

const identifierFilter: Decode<Filter> = (value, path) => {
  const [variant, content] = oneOfAt(value, path)
  if (variant === 'Empty') return { kind: 'empty' }
  const at = `${path}.${variant}.value`
  const of = (): Json => objectAt(objectAt(content, `${path}.${variant}`).value, at)
  const blob = () => flagAt(of().includeCreatedEventBlob, `${at}.includeCreatedEventBlob`)
  switch (variant) {
    case 'WildcardFilter':
      return { kind: 'wildcard', blob: blob() }
    case 'TemplateFilter':
      return { kind: 'template', id: referenceAt(of().templateId, `${at}.templateId`), blob: blob() }
    case 'InterfaceFilter': {
      const view = flagAt(of().includeInterfaceView, `${at}.includeInterfaceView`)
      return {
        kind: 'interface',
        id: referenceAt(of().interfaceId, `${at}.interfaceId`),
        blob: blob(),
        view,
      }
    }
    default:
      return noVariant(variant, path)
  }
}

const filters: Decode<readonly Filter[]> = (value, path) =>
  listAt(objectAt(value, path).cumulative, `${path}.cumulative`, (each, at) =>
    identifierFilter(objectAt(each, at).identifierFilter, `${at}.identifierFilter`),
  )

export const eventFormat: Decode<EventFormat> = (value, path) => {
  const { filtersByParty = {}, filtersForAnyParty, verbose } = objectAt(value, path)
  const at = `${path}.filtersByParty`
  const entries = Object.entries<Json>(objectAt(filtersByParty, at))
  return {
    byParty: new Map(entries.map(([party, each]) => [party, filters(each, `${at}.${party}`)])),
    any: optional(filtersForAnyParty, `${path}.filtersForAnyParty`, filters),
    isVerbose: flagAt(verbose, `${path}.verbose`),
  }
}

const shapes = [
  'TRANSACTION_SHAPE_UNSPECIFIED',
  'TRANSACTION_SHAPE_ACS_DELTA',
  'TRANSACTION_SHAPE_LEDGER_EFFECTS',
] as const

export const transactionFormat: Decode<TransactionFormat> = (value, path) => {
  const { eventFormat: events, transactionShape } = objectAt(value, path)
  return {
    events: optional(events, `${path}.eventFormat`, eventFormat),
    shape: enumAt(transactionShape, `${path}.transactionShape`, shapes),
  }
}

const topologyFormat: Decode<readonly string[] | undefined> = (value, path) => {
  const at = `${path}.includeParticipantAuthorizationEvents`
  return optional(objectAt(value, path).includeParticipantAuthorizationEvents, at, (given, inner) =>
    listAt(objectAt(given, inner).parties, `${inner}.parties`, textAt),
  )
}

export const updateFormat: Decode<UpdateFormat> = (value, path) => {
  const { includeTransactions, includeReassignments, includeTopologyEvents } = objectAt(value, path)
  return {
    transactions: optional(includeTransactions, `${path}.includeTransactions`, transactionFormat),
    reassignments: optional(includeReassignments, `${path}.includeReassignments`, eventFormat),
    topology: optional(includeTopologyEvents, `${path}.includeTopologyEvents`, topologyFormat),
  }
}

export interface UpdatesRequest {
  readonly begin: number
  readonly end: number | undefined
  readonly isDescending: boolean
  readonly format: UpdateFormat | undefined
  /** The older form of `format`. */
  readonly filter: EventFormat | undefined
  readonly isVerbose: boolean
}

export function updatesRequest(body: Json): UpdatesRequest {
  const given = objectAt(body, '')
  return {
    begin: given.beginExclusive === undefined ? 0 : int64At(given.beginExclusive, 'beginExclusive'),
    end: optional(given.endInclusive, 'endInclusive', int64At),
    isDescending: flagAt(given.descendingOrder, 'descendingOrder'),
    format: optional(given.updateFormat, 'updateFormat', updateFormat),
    filter: optional(given.filter, 'filter', eventFormat),
    isVerbose: flagAt(given.verbose, 'verbose'),
  }
}

export interface PageRequest {
  readonly begin: number | undefined
  readonly end: number | undefined
  readonly size: number | undefined
  readonly format: UpdateFormat | undefined
  readonly token: string
}

export function pageRequest(body: Json): PageRequest {
  const given = objectAt(body, '')
  return {
    begin: optional(given.beginOffsetExclusive, 'beginOffsetExclusive', int64At),
    end: optional(given.endOffsetInclusive, 'endOffsetInclusive', int64At),
    size: optional(given.maxPageSize, 'maxPageSize', int64At),
    format: optional(given.updateFormat, 'updateFormat', updateFormat),
    token: optional(given.pageToken, 'pageToken', bytesAt) ?? '',
  }
}

export interface ContractsRequest {
  readonly at: number | undefined
  readonly format: EventFormat | undefined
  readonly filter: EventFormat | undefined
  readonly isVerbose: boolean
  readonly token: string
}

export function contractsRequest(body: Json): ContractsRequest {
  const given = objectAt(body, '')
  return {
    at: optional(given.activeAtOffset, 'activeAtOffset', int64At),
    format: optional(given.eventFormat, 'eventFormat', eventFormat),
    filter: optional(given.filter, 'filter', eventFormat),
    isVerbose: flagAt(given.verbose, 'verbose'),
    token: optional(given.streamContinuationToken, 'streamContinuationToken', bytesAt) ?? '',
  }
}

export type Key =
  | { readonly by: 'offset'; readonly offset: number }
  | { readonly by: 'id'; readonly updateId: string }
  | { readonly by: 'hash'; readonly hash: string }

export function keyOf(by: Key['by'], body: Json): Key {
  const given = objectAt(body, '')
  switch (by) {
    case 'offset':
      return { by, offset: given.offset === undefined ? 0 : int64At(given.offset, 'offset') }
    case 'id':
      return { by, updateId: given.updateId === undefined ? '' : textAt(given.updateId, 'updateId') }
    case 'hash':
      return {
        by,
        hash: given.transactionHash === undefined ? '' : bytesAt(given.transactionHash, 'transactionHash'),
      }
  }
}
