import type { Party } from '../value.ts'
import { type EventFormat, eventFormatsOf, type UpdateFormat } from './format.ts'

/** The parties that a reader may read as, including the parties that the reader may act as. */
export interface ReadRights {
  readonly readAs: ReadonlySet<Party>
  readonly readAsAnyParty: boolean
}

export interface ReaderAccess {
  readonly kind: 'reader'
  readonly userId: string
  readonly rights: ReadRights
  /** The expiry of the token, in milliseconds since 1970. Undefined if the token never expires. */
  readonly expiresAt: number | undefined
}

export type Access =
  | ReaderAccess
  | { readonly kind: 'unknown-user' }
  /** The reason is for the log. The caller may have sent no token. */
  | {
      readonly kind: 'unauthenticated' | 'other-participant' | 'unavailable'
      readonly reason?: string
    }

export function mayReadAs({ readAs, readAsAnyParty }: ReadRights, party: Party): boolean {
  return readAsAnyParty || readAs.has(party)
}

/**
 * As in Canton, the reader needs the right to read as each party in `filtersByParty`.
 * `filtersForAnyParty` needs the right to read as any party. Without one of these rights, the whole
 * request is rejected.
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
