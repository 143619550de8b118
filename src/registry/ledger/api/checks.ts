import { CantonError } from '../../../base/errors/canton.ts'
import { interfaceNames, packageNames, templateNames } from '../daml/splice/templates.ts'
import { isParty } from '../value.ts'
import { type EventFormat, eventFormatsOf, type UpdateFormat } from './formats.ts'
import type {
  CompletionsOf,
  CompletionsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from './requests.ts'

// Canton's checks of requests, in Canton's order (UpdateServiceRequestValidator.scala).

const updateIdText = /^1220[0-9a-fA-F]{64}$/
const participantText = /^[a-zA-Z0-9:\-_ ]{1,185}::[a-zA-Z0-9:\-_ ]{1,68}$/

export function checkUpdates(request: UpdatesRequest, ledgerEnd: number): void {
  const { beginExclusive: begin, endInclusive: end, descendingOrder, updateFormat } = request
  checkNotNegative('begin_exclusive', begin)
  if (descendingOrder && end === undefined) throw new CantonError('descendingWithoutEnd')
  if (end !== undefined) checkPositive('end_inclusive', end)
  checkReached('Begin', begin, ledgerEnd)
  if (end !== undefined) checkReached('End', end, ledgerEnd)
  checkUpdateFormat(updateFormat)
  if (end !== undefined && begin > end) throw new CantonError('offsetOutOfRange', { begin, end })
}

export function requiredFormat<F>(
  format: F | undefined,
  name: 'update_format' | 'event_format' = 'update_format',
): F {
  if (format === undefined) throw missingField(name)
  return format
}

export function checkUpdate(request: UpdateRequest, format: UpdateFormat): void {
  if ('offset' in request) checkPositive('offset', request.offset)
  else if ('updateId' in request) {
    const { updateId: id } = request
    if (id === '') throw missingField('update_id')
    if (!updateIdText.test(id)) throw new CantonError('invalidUpdateId', { id })
  } else if (request.transactionHash.length === 0) throw missingField('transaction_hash')
  checkUpdateFormat(format)
}

export function notFound(request: UpdateRequest): CantonError {
  const resource =
    'offset' in request
      ? (['OFFSET', String(request.offset)] as const)
      : 'updateId' in request
        ? (['UPDATE_ID', request.updateId] as const)
        : (['TRANSACTION_HASH', request.transactionHash.toString('hex')] as const)
  return new CantonError('updateNotFound', {}, { resources: [resource] })
}

const mostOnPage = 2000
const mostContractsOnPage = 10_000

export function checkPage(request: UpdatesPageRequest, format: UpdateFormat, ledgerEnd: number): void {
  const { beginOffsetExclusive: begin, endOffsetInclusive: end, maxPageSize: size } = request
  if (begin !== undefined) checkNotNegative('begin_offset_exclusive', begin)
  if (end !== undefined) checkPositive('end_offset_inclusive', end)
  if (end !== undefined) checkReached('End', end, ledgerEnd)
  if (begin !== undefined && end !== undefined && begin > end)
    throw new CantonError('pageEndsBeforeBegin', { begin, end })
  checkSize(size, mostOnPage)
  checkUpdateFormat(format)
}

export function checkActiveContracts(at: number, format: EventFormat, ledgerEnd: number): void {
  checkMoment(at, ledgerEnd)
  checkEventFormats([format])
}

export function checkContractsPage(
  { activeAtOffset, maxPageSize }: ContractsPageRequest,
  format: EventFormat,
  ledgerEnd: number,
): void {
  if (activeAtOffset !== undefined) checkMoment(activeAtOffset, ledgerEnd)
  checkSize(maxPageSize, mostContractsOnPage)
  checkEventFormats([format])
}

export function checkCompletions(
  of: CompletionsOf,
  { parties, beginExclusive = 0 }: CompletionsRequest,
  ledgerEnd: number,
): void {
  if (of === 'completions' && parties.length === 0) throw missingField('parties')
  checkParties(parties)
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

export function checkSize(size: number | undefined, most: number): void {
  if (size !== undefined && (size < 1 || size > most))
    throw new CantonError('invalidPageSize', { size, most })
}

export function checkParties(parties: Iterable<string>): void {
  for (const party of parties) if (!isParty(party)) throw new CantonError('invalidParty', { party })
}

function checkUpdateFormat(format: UpdateFormat): void {
  const { missingField: missing, topology = [] } = format
  if (missing === 'event_format') throw missingField(missing)
  checkEventFormats(eventFormatsOf(format), () => {
    const bad = topology.find((party) => !isParty(party))
    if (bad !== undefined) throw new CantonError('invalidTopologyParty', { party: bad }, field('parties'))
    if (missing !== undefined) throw missingField(missing)
  })
}

/** @param beforeTypes the checks that Canton makes before those of templates and interfaces. */
function checkEventFormats(formats: readonly EventFormat[], beforeTypes: () => void = () => {}): void {
  for (const { filtersByParty, filtersForAnyParty } of formats) {
    if (filtersByParty.size === 0 && filtersForAnyParty === undefined) throw new CantonError('noFilters')
    checkParties(filtersByParty.keys())
  }
  beforeTypes()
  for (const format of formats) {
    const byId = typesIn(format).find((name) => !name.startsWith('#'))
    if (byId !== undefined)
      throw new CantonError('packageIdInFilter', { reference: byId }, field('packageId'))
  }
  for (const format of formats) checkKnown(format)
}

/**
 * Like Canton, reports only one kind of unknown names: templates only if all packages are known, and
 * interfaces only if all templates are known too.
 */
function checkKnown(format: EventFormat): void {
  const packages = typesIn(format).map((name) => name.slice(1, name.indexOf(':')))
  const names = unknown(packages, packageNames)
  if (names !== '') throw new CantonError('unknownPackageNames', { names })
  const templates = unknown(typesIn(format, ['template']), templateNames)
  if (templates !== '') throw new CantonError('unknownTemplates', { references: templates })
  const interfaces = unknown(typesIn(format, ['interface']), interfaceNames)
  if (interfaces !== '') throw new CantonError('unknownInterfaces', { references: interfaces })
}

function unknown(names: readonly string[], known: ReadonlySet<string>): string {
  return [...new Set(names)].filter((name) => !known.has(name)).join(', ')
}

function typesIn(
  { filtersByParty, filtersForAnyParty = [] }: EventFormat,
  kinds: readonly ('template' | 'interface')[] = ['template', 'interface'],
): readonly string[] {
  const filters = [...[...filtersByParty.values()].flat(), ...filtersForAnyParty]
  return kinds.flatMap((kind) => filters.map((filter) => filter[kind]).filter((name) => name !== undefined))
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

function missingField(field_name: string): CantonError {
  return new CantonError('missingField', { field_name }, field(field_name))
}

function invalidField(field_name: string, value: string, what: string): CantonError {
  return new CantonError('invalidField', { field_name, value, what }, field(field_name))
}

function field(field_name: string) {
  return { context: { field_name } }
}
