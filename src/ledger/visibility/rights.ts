import type { Party } from '../value.ts'
import { type EventFormat, eventFormatsOf, type UpdateFormat } from './format.ts'

/** The parties that a reader may read as. They include the parties that the reader may act as. */
export interface ReadRights {
  readonly readAs: ReadonlySet<Party>
  /** Whether the reader may read as every party. */
  readonly readAsAnyParty: boolean
}

/** The result of checking a valid token: the reader's rights. */
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
  /** The token cannot be checked now. */
  | { readonly kind: 'unavailable' }

export function mayReadAs({ readAs, readAsAnyParty }: ReadRights, party: Party): boolean {
  return readAsAnyParty || readAs.has(party)
}

/**
 * Whether a reader may request these events. False if the reader lacks the right for one of the parties: Canton then
 * rejects the whole request.
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
