import type { Party } from '../value.ts'
import { type EventFormat, eventFormatsOf, type UpdateFormat } from './formats.ts'

export interface LedgerReader {
  readonly kind: 'reader'
  readonly userId: string
  /** The party that the user may act and read as. Undefined if the user has no party. */
  readonly party: Party | undefined
  readonly readsAnyParty: boolean
  /** The expiry of the token, in milliseconds since 1970. Undefined if the token never expires. */
  readonly expiresAt: number | undefined
}

export type Access =
  | LedgerReader
  | { readonly kind: 'unknown-user' }
  /** The reason is for the log. The caller may have sent no token. */
  | {
      readonly kind: 'unauthenticated' | 'other-participant' | 'unavailable'
      readonly reason?: string
    }

type Rights = Pick<LedgerReader, 'party' | 'readsAnyParty'>

export function mayReadAs({ party: own, readsAnyParty }: Rights, party: Party): boolean {
  return readsAnyParty || party === own
}

/**
 * As in Canton, the reader needs the right to read as each party in `filtersByParty`.
 * `filtersForAnyParty` needs the right to read as any party. Without one of these rights, the whole
 * request is rejected.
 */
export function mayReadEvents(rights: Rights, { filtersByParty, filtersForAnyParty }: EventFormat): boolean {
  if (filtersForAnyParty !== undefined && !rights.readsAnyParty) return false
  return filtersByParty.keys().every((party) => mayReadAs(rights, party))
}

export function mayReadUpdates(rights: Rights, format: UpdateFormat): boolean {
  const { topology } = format
  return (
    eventFormatsOf(format).every((events) => mayReadEvents(rights, events)) &&
    (topology === undefined || mayReadParties(rights, topology))
  )
}

/** An empty list stands for all parties. */
export function mayReadParties(rights: Rights, parties: readonly Party[]): boolean {
  return parties.length === 0 ? rights.readsAnyParty : parties.every((party) => mayReadAs(rights, party))
}
