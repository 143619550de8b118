import { hash, randomBytes } from 'node:crypto'
import type { Party } from '../value.ts'

/** The identity of a ledger, which never changes. */
export interface Identity {
  /** The id of the ledger's synchronizer: `<identifier>::1220<64 hex>`. */
  readonly synchronizerId: string
  /** The part after `::` of every party id that this ledger allocates: `1220<64 hex>`. */
  readonly namespace: string
}

export function randomIdentity(): Identity {
  const fingerprint = () => `1220${randomBytes(32).toString('hex')}`
  return { synchronizerId: `global-domain::${fingerprint()}`, namespace: fingerprint() }
}

/** Returns the id of the participant that hosts every party of a ledger. */
export function participantOf({ namespace }: Identity): string {
  return `participant::${namespace}`
}

const longestHint = 120

/**
 * Yields the party ids to try for a new user, in the order of preference. The first is made from the hint, shortened to
 * 120 characters and with `_` for characters that Canton forbids. The following ones add more and more digits of a hash
 * of the user id.
 */
export function* partiesFor(userId: string, hint: string, namespace: string): Generator<Party> {
  const clean = hint
    .replaceAll(/[^a-zA-Z0-9:\-_ ]/g, '_')
    .replaceAll('::', '_')
    .slice(0, longestHint)
  const identifier = /[^:]/.test(clean) ? clean.replace(/:$/, '_') : 'party'
  yield `${identifier}::${namespace}`
  const userHash = hash('sha256', userId, 'hex')
  for (const digits of [8, 16, 64]) yield `${identifier}-${userHash.slice(0, digits)}::${namespace}`
}
