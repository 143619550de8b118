import { randomBytes } from 'node:crypto'

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

export function participantOf({ namespace }: Identity): string {
  return `participant::${namespace}`
}
