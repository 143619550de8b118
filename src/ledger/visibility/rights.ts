import type { Party } from '../value.ts'
import { type EventFormat, eventFormatsOf, type UpdateFormat } from './format.ts'

/** The parties that a reader may read as. They include the parties that the reader may act as. */
export interface ReadRights {
  readonly readAs: ReadonlySet<Party>
  readonly readAsAnyParty: boolean
}

/** The result of a successful check of a token. */
export interface ReaderAccess {
  readonly kind: 'reader'
  readonly rights: ReadRights
  /** The time at which the token expires, in milliseconds since 1970. Undefined if it never expires. */
  readonly expiresAt: number | undefined
}

/** The result of checking a token. Only `reader` gives access. */
export type Access =
  | ReaderAccess
  | { readonly kind: 'unauthenticated' }
  /** The ledger does not know the token's user. */
  | { readonly kind: 'unknown-user' }
  /** The token is for another participant. */
  | { readonly kind: 'elsewhere' }
  /** The token cannot be checked now, for example because the keys cannot be fetched. */
  | { readonly kind: 'unavailable' }

export function mayReadAs({ readAs, readAsAnyParty }: ReadRights, party: Party): boolean {
  return readAsAnyParty || readAs.has(party)
}

/**
 * True if a reader may request these events. The reader needs the right to read as each party in
 * `filtersByParty`, and for `filtersForAnyParty` the right to read as every party. Canton rejects the whole
 * request if one right is missing.
 */
export function mayReadEvents(
  rights: ReadRights,
  { filtersByParty, filtersForAnyParty }: EventFormat,
): boolean {
  if (filtersForAnyParty !== undefined && !rights.readAsAnyParty) return false
  return filtersByParty.keys().every((party) => mayReadAs(rights, party))
}

export function mayReadUpdates(rights: ReadRights, format: UpdateFormat): boolean {
  const authorizations = format.includeTopologyEvents?.includeParticipantAuthorizationEvents
  return (
    eventFormatsOf(format).every((events) => mayReadEvents(rights, events)) &&
    (authorizations === undefined || mayReadTopology(rights, authorizations.parties))
  )
}

function mayReadTopology(rights: ReadRights, parties: readonly Party[]): boolean {
  return parties.length === 0 ? rights.readAsAnyParty : parties.every((party) => mayReadAs(rights, party))
}
