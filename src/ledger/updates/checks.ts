import { CantonError } from '../../errors/canton.ts'
import { isParty } from '../daml/parties.ts'
import type { Catalog } from '../visibility/catalog.ts'
import { type EventFormat, eventFormatsOf, type UpdateFormat } from '../visibility/format.ts'
import {
  problemOfEvents,
  type UnknownType,
  unknownInEvents,
  unknownInUpdates,
} from '../visibility/problems.ts'
import type { Requested } from '../wire/formats.ts'
import type {
  ActiveContractsRequest,
  CompletionsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateKey,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from '../wire/requests.ts'

// Canton's checks of requests, in Canton's order (UpdateServiceRequestValidator.scala). If the
// ledger's packages are known, `checkKnownTypes` must run after the check of the request.

const updateIdText = /^1220[0-9a-fA-F]{64}$/
const participantText = /^[a-zA-Z0-9:\-_ ]{1,185}::[a-zA-Z0-9:\-_ ]{1,68}$/

export function checkUpdates(request: UpdatesRequest, ledgerEnd: number): void {
  const { beginExclusive, endInclusive, descendingOrder } = request
  checkNotNegative('begin_exclusive', beginExclusive)
  if (descendingOrder && endInclusive === undefined) throw new CantonError('descendingWithoutEnd')
  if (endInclusive !== undefined) checkPositive('end_inclusive', endInclusive)
  checkReached('Begin', beginExclusive, ledgerEnd)
  if (endInclusive !== undefined) checkReached('End', endInclusive, ledgerEnd)
  checkUpdateForm(request.updateFormat)
}

/**
 * Must run after `checkKnownTypes`, as in Canton. `checkUpdates` runs earlier, so it cannot make
 * this check.
 */
export function checkOrder({ beginExclusive: begin, endInclusive: end }: UpdatesRequest): void {
  if (end !== undefined && begin > end) throw new CantonError('offsetOutOfRange', { begin, end })
}

export function checkKnownTypes(format: UpdateFormat | EventFormat, catalog: Catalog): void {
  throwUnknown(
    'filtersByParty' in format ? unknownInEvents(format, catalog) : unknownInUpdates(format, catalog),
  )
}

function checkUpdateForm({ format, missingField: missing }: Requested<UpdateFormat>): void {
  if (missing === 'event_format') throw missingField(missing)
  const formats = eventFormatsOf(format)
  for (const events of formats) checkParties(events)
  const topology = format.includeTopologyEvents?.includeParticipantAuthorizationEvents?.parties ?? []
  const bad = topology.find((party) => !isParty(party))
  if (bad !== undefined) throw new CantonError('invalidTopologyParty', { party: bad }, field('parties'))
  if (missing !== undefined) throw missingField(missing)
  for (const events of formats) checkReferences(events)
}

function checkEventForm(format: EventFormat): void {
  checkParties(format)
  checkReferences(format)
}

export function requiredFormat<F>(
  format: F | undefined,
  name: 'update_format' | 'event_format' = 'update_format',
): F {
  if (format === undefined) throw missingField(name)
  return format
}

export function checkUpdate({ key, updateFormat }: UpdateRequest): void {
  const requested = requiredFormat(updateFormat)
  checkKey(key)
  checkUpdateForm(requested)
}

function checkKey(key: UpdateKey): void {
  switch (key.by) {
    case 'offset':
      return checkPositive('offset', key.offset)
    case 'id':
      if (key.updateId === '') throw missingField('update_id')
      if (!updateIdText.test(key.updateId)) throw new CantonError('invalidUpdateId', { id: key.updateId })
      return
    case 'hash':
      if (key.transactionHash.length === 0) throw missingField('transaction_hash')
  }
}

export function notFound({ key }: UpdateRequest): CantonError {
  return new CantonError('updateNotFound', {}, { resources: [resourceOf(key)] })
}

const mostOnPage = 2000
const mostContractsOnPage = 10_000

export function checkPage(request: UpdatesPageRequest, ledgerEnd: number): void {
  const requested = requiredFormat(request.updateFormat)
  const { beginOffsetExclusive: begin, endOffsetInclusive: end, maxPageSize: size } = request
  if (begin !== undefined) checkNotNegative('begin_offset_exclusive', begin)
  if (end !== undefined) checkPositive('end_offset_inclusive', end)
  if (end !== undefined) checkReached('End', end, ledgerEnd)
  if (begin !== undefined && end !== undefined && begin > end)
    throw new CantonError('pageEndsBeforeBegin', { begin, end })
  checkSize(size, mostOnPage)
  checkUpdateForm(requested)
}

export function checkActiveContracts(
  { activeAtOffset, eventFormat }: ActiveContractsRequest,
  ledgerEnd: number,
): void {
  checkMoment(activeAtOffset, ledgerEnd)
  checkEventForm(eventFormat)
}

export function checkContractsPage(
  { activeAtOffset, maxPageSize, eventFormat }: ContractsPageRequest,
  ledgerEnd: number,
): void {
  const format = requiredFormat(eventFormat, 'event_format')
  if (activeAtOffset !== undefined) checkMoment(activeAtOffset, ledgerEnd)
  checkSize(maxPageSize, mostContractsOnPage)
  checkEventForm(format)
}

export function checkCompletions(
  { of, parties, beginExclusive }: CompletionsRequest,
  ledgerEnd: number,
): void {
  if (of === 'completions' && parties.length === 0) throw missingField('parties')
  const bad = parties.find((party) => !isParty(party))
  if (bad !== undefined) throw new CantonError('invalidParty', { party: bad })
  checkNotNegative('begin_exclusive', beginExclusive)
  checkReached('Begin', beginExclusive, ledgerEnd)
}

export function checkSynchronizers({ party, participantId }: SynchronizersRequest): void {
  if (party !== undefined && !isParty(party)) throw invalidField('party', party, 'party id')
  if (participantId !== undefined && !participantText.test(participantId))
    throw invalidField('participant_id', participantId, 'participant id')
}

export function checkMoment(activeAtOffset: number, ledgerEnd: number): void {
  checkNotNegative('active_at_offset', activeAtOffset)
  checkReached('active_at_offset', activeAtOffset, ledgerEnd)
}

/** @param what the beginning of the error message: `Active contracts at offset 7`. */
export function checkPruned(after: number, prunedUpTo: number, what: string): void {
  if (after >= prunedUpTo) return
  const earliest_offset = String(prunedUpTo)
  throw new CantonError('pruned', { what, earliest_offset }, { context: { earliest_offset } })
}

export function checkSize(size: number | undefined, most: number): void {
  if (size !== undefined && (size < 1 || size > most))
    throw new CantonError('invalidPageSize', { size, most })
}

function checkNotNegative(field: string, offset: number): void {
  if (offset < 0) throw new CantonError('negativeOffset', { field, offset })
}

function checkPositive(field: string, offset: number): void {
  if (offset <= 0) throw new CantonError('nonPositiveOffset', { field, offset })
}

function checkReached(field: string, offset: number, end: number): void {
  if (offset > end) throw new CantonError('offsetAfterLedgerEnd', { field, offset, end })
}

function checkParties(format: EventFormat): void {
  if (problemOfEvents(format)?.kind === 'no-filters') throw new CantonError('noFilters')
  const bad = [...format.filtersByParty.keys()].find((party) => !isParty(party))
  if (bad !== undefined) throw new CantonError('invalidParty', { party: bad })
}

function checkReferences(format: EventFormat): void {
  const problem = problemOfEvents(format)
  if (problem?.kind !== 'package-id') return
  throw new CantonError('packageIdInFilter', { reference: problem.reference }, field('packageId'))
}

function throwUnknown(unknown: UnknownType | undefined): void {
  switch (unknown?.kind) {
    case 'package-names':
      throw new CantonError('unknownPackageNames', { names: unknown.names.join(', ') })
    case 'templates':
      throw new CantonError('unknownTemplates', { references: unknown.references.join(', ') })
    case 'interfaces':
      throw new CantonError('unknownInterfaces', { references: unknown.references.join(', ') })
  }
}

function missingField(field_name: string): CantonError {
  return new CantonError('missingField', { field_name }, field(field_name))
}

function invalidField(field_name: string, value: string, what: string): CantonError {
  return new CantonError('invalidField', { field_name, value, what }, field(field_name))
}

function field(field_name: string) {
  return { context: { field_name } }
}

function resourceOf(key: UpdateKey): readonly [string, string] {
  switch (key.by) {
    case 'offset':
      return ['OFFSET', String(key.offset)]
    case 'id':
      return ['UPDATE_ID', key.updateId]
    case 'hash':
      return ['TRANSACTION_HASH', key.transactionHash.toString('hex')]
  }
}
