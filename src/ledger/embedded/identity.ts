import { randomBytes } from 'node:crypto'

/** The identity of a ledger. It never changes. */
export interface Identity {
  /** Format: `<identifier>::1220<64 hex>`. */
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
