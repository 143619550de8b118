import { hash, randomBytes } from 'node:crypto'
import type { Party } from '../value.ts'

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

const longestHint = 120

/**
 * Yields the party ids to try for a new user: first the hint, with `_` for the characters that
 * Canton forbids. Each further id has more digits of a hash of the user id.
 */
export function* candidatePartyIds(userId: string, hint: string, namespace: string): Generator<Party> {
  const clean = hint
    .replaceAll(/[^a-zA-Z0-9:\-_ ]/g, '_')
    .replaceAll('::', '_')
    .slice(0, longestHint)
  const identifier = /[^:]/.test(clean) ? clean.replace(/:$/, '_') : 'party'
  yield `${identifier}::${namespace}`
  const userHash = hash('sha256', userId, 'hex')
  for (const digits of [8, 16, 64]) yield `${identifier}-${userHash.slice(0, digits)}::${namespace}`
}

const offsetDigits = 12

/**
 * The last twelve hex digits of an update id are the offset, so that the ledger finds the update
 * without an index.
 * @param digest 64 hex digits.
 */
export function updateIdOf(offset: number, digest: string): string {
  return `1220${digest.slice(0, -offsetDigits)}${offset.toString(16).padStart(offsetDigits, '0')}`
}

export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? Number.parseInt(updateId.slice(-offsetDigits), 16) : undefined
}
