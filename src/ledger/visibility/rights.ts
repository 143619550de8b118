import type { Party } from '../value.ts'
import { type EventFormat, eventFormatsOf, type UpdateFormat } from './format.ts'

/** The parties whose events a reader may see. The right to act as a party includes the right to read as it. */
export interface ReadRights {
  readonly readAs: ReadonlySet<Party>
  /** Whether the reader may read as every party. */
  readonly readAsAnyParty: boolean
}

/** A token that lets its user read. */
export interface ReaderAccess {
  readonly kind: 'reader'
  readonly rights: ReadRights
  /** When the token expires, in milliseconds since 1970; undefined for never. */
  readonly expiresAt: number | undefined
}

/** The result of the check of a token. */
export type Access =
  | ReaderAccess
  | { readonly kind: 'unauthenticated' }
  /** The ledger does not know the user. */
  | { readonly kind: 'unknown-user' }
  /** The token is for another participant. */
  | { readonly kind: 'elsewhere' }
  /** The token cannot be checked now. */
  | { readonly kind: 'unavailable' }

export function mayReadAs({ readAs, readAsAnyParty }: ReadRights, party: Party): boolean {
  return readAsAnyParty || readAs.has(party)
}

/**
 * Whether a reader may ask for these events. If the reader lacks the right to read as one of the parties, Canton
 * rejects the whole request.
 */
export function mayReadEvents(
  rights: ReadRights,
  { filtersByParty, filtersForAnyParty }: EventFormat,
): boolean {
  if (filtersForAnyParty !== undefined && !rights.readAsAnyParty) return false
  return filtersByParty.keys().every((party) => mayReadAs(rights, party))
}

/** Whether a reader may ask for these updates. */
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
