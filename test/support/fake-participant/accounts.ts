import { redacted } from './errors.ts'
import type { EventFormat, UpdateFormat } from './formats.ts'
import { Refused } from './json.ts'

export interface Rights {
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  readonly readAsAnyParty: boolean
  readonly actAsAnyParty: boolean
  readonly isAdmin: boolean
}

export interface Account {
  readonly id: string
  readonly primaryParty: string
  readonly isDeactivated: boolean
  readonly rights: Rights
}

const none: Rights = { actAs: [], readAs: [], readAsAnyParty: false, actAsAnyParty: false, isAdmin: false }

export function accountOf(id: string, primaryParty: string, rights: Partial<Rights> | undefined): Account {
  const actAs = primaryParty === '' ? [] : [primaryParty]
  return { id, primaryParty, isDeactivated: false, rights: { ...none, ...(rights ?? { actAs }) } }
}

/** Refuses a deactivated user. Canton checks for deactivation before anything else. */
export function ensureActive(account: Account | undefined): void {
  if (account?.isDeactivated !== true) return
  throw new Refused([403, { ...redacted(7), context: { ledger_api_error: 'invalid token' } }])
}

export function authenticated(account: Account | undefined): Account {
  if (account === undefined) throw new Refused([401, redacted(16)])
  return account
}

export function ensure(isAllowed: boolean): void {
  if (!isAllowed) throw new Refused([403, redacted(7)])
}

function readsAny({ rights }: Account): boolean {
  return rights.readAsAnyParty || rights.actAsAnyParty
}

/** As in Canton, a user who may act as a party may read as the party too, but an administrator may not. */
function mayReadAs(account: Account, party: string): boolean {
  const { actAs, readAs } = account.rights
  return readsAny(account) || actAs.includes(party) || readAs.includes(party)
}

export function mayActAs({ rights }: Account, party: string): boolean {
  return rights.actAsAnyParty || rights.actAs.includes(party)
}

export function mayKnow(account: Account, party: string): boolean {
  return account.rights.isAdmin || mayReadAs(account, party)
}

export function ensureMayReadAs(account: Account, parties: Iterable<string>): void {
  for (const party of parties) ensure(mayReadAs(account, party))
}

export function ensureMayReadEvents(account: Account, format: EventFormat | undefined): void {
  if (format === undefined) return
  ensureMayReadAs(account, format.byParty.keys())
  ensure(format.any === undefined || readsAny(account))
}

export function ensureMayReadUpdates(account: Account, format: UpdateFormat | undefined): void {
  if (format === undefined) return
  ensureMayReadEvents(account, format.transactions?.events)
  ensureMayReadEvents(account, format.reassignments)
  if (format.topology === undefined) return
  if (format.topology.length === 0) ensure(readsAny(account))
  ensureMayReadAs(account, format.topology)
}
