import type { Account } from './accounts.ts'
import { authenticated, ensureMayReadEvents, ensureMayReadUpdates } from './accounts.ts'
import { knownPackages, knownTemplates, resolved } from './catalog.ts'
import { missingField, refused, type Version } from './errors.ts'
import type {
  ContractsRequest,
  EventFormat,
  Filter,
  Key,
  PageRequest,
  UpdateFormat,
  UpdatesRequest,
} from './formats.ts'

export interface Checked {
  readonly version: Version
  readonly end: number
}

const partyText = /^[a-zA-Z0-9:\-_ ]{1,255}$/

/**
 * Checks a `POST /v2/updates` in Canton's order, because the first check that fails decides the error. Returns the
 * format in its newer form, even if the request has the older form (`filter`).
 */
export function checkUpdates(
  of: Checked,
  request: UpdatesRequest,
  account: Account | undefined,
): UpdateFormat {
  const { version, end: ledgerEnd } = of
  const { begin, end } = request
  const isDescending = request.isDescending && version !== '3.4'
  const format = formOf(of, request, legacyUpdates)
  ensureMayReadUpdates(authenticated(account), format)
  ensureNotNegative(of, begin)
  if (isDescending && end === undefined) throw refused(version, 'DESCENDING_ORDER_MISSING_END')
  if (end !== undefined) ensurePositive(of, end)
  if (begin > ledgerEnd || (end ?? 0) > ledgerEnd) throw refused(version, 'OFFSET_AFTER_LEDGER_END')
  checkUpdateFormat(of, format)
  if (end !== undefined && begin > end) throw refused(version, 'OFFSET_OUT_OF_RANGE')
  return format
}

export function checkPage(of: Checked, request: PageRequest, account: Account | undefined): UpdateFormat {
  const { version, end: ledgerEnd } = of
  const { end = ledgerEnd, format } = request
  ensureMayReadUpdates(authenticated(account), format)
  if (format === undefined) throw missingField(version, 'update_format')
  if (end > ledgerEnd) throw refused(version, 'OFFSET_AFTER_LEDGER_END')
  checkUpdateFormat(of, format)
  return format
}

export function checkLookup(
  of: Checked,
  key: Key,
  format: UpdateFormat | undefined,
  account: Account | undefined,
): UpdateFormat {
  const { version } = of
  ensureMayReadUpdates(authenticated(account), format)
  if (format === undefined) throw missingField(version, 'update_format')
  if (key.by === 'offset') ensurePositive(of, key.offset)
  if (key.by === 'id' && key.updateId === '') throw missingField(version, 'update_id')
  if (key.by === 'id' && !/^1220[0-9a-f]{64}$/i.test(key.updateId)) throw refused(version, 'INVALID_ARGUMENT')
  if (key.by === 'hash' && key.hash === '') throw missingField(version, 'transaction_hash')
  checkUpdateFormat(of, format)
  return format
}

export function checkContracts(
  of: Checked,
  request: ContractsRequest,
  account: Account | undefined,
): EventFormat {
  const format = formOf(of, request, (filter) => filter)
  ensureMayReadEvents(authenticated(account), format)
  checkActive(of, request.at ?? 0, format)
  return format
}

function checkActive(of: Checked, at: number, format: EventFormat): void {
  ensureMoment(of, at)
  checkEventFormat(of, format)
}

function ensureMoment(of: Checked, at: number): void {
  ensureNotNegative(of, at)
  if (at > of.end) throw refused(of.version, 'OFFSET_AFTER_LEDGER_END')
}

function ensureNotNegative({ version }: Checked, offset: number): void {
  if (offset < 0) throw refused(version, 'NEGATIVE_OFFSET')
}

function ensurePositive({ version }: Checked, offset: number): void {
  if (offset <= 0) throw refused(version, 'NON_POSITIVE_OFFSET')
}

interface Forms<F> {
  readonly format: F | undefined
  readonly filter: EventFormat | undefined
  readonly isVerbose: boolean
}

/**
 * Returns the format in its newer form. The checks here belong to Canton's JSON layer, so they come before the check of
 * the token.
 */
function formOf<F>({ version }: Checked, given: Forms<F>, standsFor: (filter: EventFormat) => F): F {
  const { format, filter, isVerbose } = given
  if (format !== undefined && (filter !== undefined || isVerbose)) throw refused(version, 'INVALID_ARGUMENT')
  if (format !== undefined) return format
  if (filter === undefined) throw refused(version, 'INVALID_ARGUMENT')
  return standsFor(filter)
}

function legacyUpdates(events: EventFormat): UpdateFormat {
  const transactions = { events, shape: 'TRANSACTION_SHAPE_ACS_DELTA' } as const
  return { transactions, reassignments: events, topology: undefined }
}

/** As in Canton, each check covers the whole format before the next check begins. */
function checkUpdateFormat(of: Checked, { transactions, reassignments, topology }: UpdateFormat): void {
  const { version } = of
  if (transactions !== undefined && transactions.events === undefined)
    throw missingField(version, 'event_format')
  const formats = [transactions?.events, reassignments].filter((format) => format !== undefined)
  for (const format of formats) checkParties(of, format)
  if (topology?.some((party) => !partyText.test(party)))
    throw refused(version, 'INVALID_FIELD', { context: { field_name: 'parties' } })
  if (transactions !== undefined && (transactions.shape ?? unspecified) === unspecified)
    throw missingField(version, 'transaction_shape')
  for (const format of formats) checkIds(of, format)
  for (const format of formats) checkKnown(of, format)
}

const unspecified = 'TRANSACTION_SHAPE_UNSPECIFIED'

export function checkEventFormat(of: Checked, format: EventFormat): void {
  checkParties(of, format)
  checkIds(of, format)
  checkKnown(of, format)
}

function checkParties({ version }: Checked, { byParty, any }: EventFormat): void {
  const isEmpty = byParty.size === 0 && any === undefined
  if (isEmpty || [...byParty.keys()].some((party) => !partyText.test(party)))
    throw refused(version, 'INVALID_ARGUMENT')
}

/** Canton 3.4 accepts package ids in a format. Later versions accept only package names, which begin with `#`. */
function checkIds({ version }: Checked, format: EventFormat): void {
  if (version === '3.4' || namesIn(format).every(({ id }) => id.startsWith('#'))) return
  throw refused(version, 'INVALID_FIELD', { context: { field_name: 'packageId' } })
}

function checkKnown({ version }: Checked, format: EventFormat): void {
  const named = namesIn(format).map(({ kind, id }) => ({ kind, name: resolved(id) }))
  if (named.some(({ name }) => name === undefined))
    throw refused(version, 'TEMPLATES_OR_INTERFACES_NOT_FOUND')
  if (named.some(({ name = '' }) => !knownPackages.has(name.split(':')[0] ?? '')))
    throw refused(version, 'PACKAGE_NAMES_NOT_FOUND')
  if (named.some(({ kind, name = '' }) => kind === 'template' && !knownTemplates.has(name)))
    throw refused(version, 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME')
  if (named.some(({ kind }) => kind === 'interface'))
    throw refused(version, 'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME')
}

function namesIn({ byParty, any }: EventFormat): Extract<Filter, { id: string }>[] {
  return [...byParty.values(), any ?? []].flat().filter((filter) => 'id' in filter)
}
