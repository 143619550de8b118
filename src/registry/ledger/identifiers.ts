import { hash, randomBytes } from 'node:crypto'
import type { ContractId, Party } from './value.ts'

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

const lastDigits = 12
const idLength = 138
const form = /^00[0-9a-f]{64}ca111220[0-9a-f]{64}$/

/**
 * The last twelve hex digits of an update id are the offset, so that the ledger finds the update
 * without an index.
 */
export function updateIdOf(synchronizerId: string, offset: number): string {
  return `1220${hash('sha256', `${synchronizerId}/${offset}`).slice(0, -lastDigits)}${hexOf(offset)}`
}

export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? numberAtEnd(updateId) : undefined
}

/**
 * Returns a contract id in the format of Canton, `00<64 hex>ca111220<64 hex>`. The last twelve hex
 * digits are the number of the node, so that the ledger finds the contract without an index.
 * @param number the node's number among all nodes of the ledger.
 */
export function contractIdOf(synchronizerId: string, number: number): ContractId {
  const hex = hash('sha512', `${synchronizerId}/${number}`)
  return `00${hex.slice(0, 64)}ca111220${hex.slice(64, -lastDigits)}${hexOf(number)}`
}

/**
 * Returns undefined if this ledger cannot have made the id. An id from another ledger can match the
 * pattern with arbitrary digits, so the caller must check that the node created this contract.
 */
export function numberIn(contractId: ContractId): number | undefined {
  return contractId.length === idLength && form.test(contractId) ? numberAtEnd(contractId) : undefined
}

function hexOf(number: number): string {
  return number.toString(16).padStart(lastDigits, '0')
}

function numberAtEnd(id: string): number {
  return Number.parseInt(id.slice(-lastDigits), 16)
}
