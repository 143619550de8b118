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

const nodeDigits = 12
const idLength = 138
const form = /^00[0-9a-f]{64}ca111220[0-9a-f]{64}$/

/**
 * Returns a contract id in the format of Canton, `00<64 hex>ca111220<64 hex>`. The last twelve hex
 * digits are the number of the node, so that the ledger finds the contract without an index.
 * @param seed a string that is unique to the transaction.
 * @param node the node's number among all nodes of the ledger.
 */
export function contractIdOf(seed: string, node: number): ContractId {
  const hex = hash('sha512', `${seed}/${node}`)
  const number = node.toString(16).padStart(nodeDigits, '0')
  return `00${hex.slice(0, 64)}ca111220${hex.slice(64, -nodeDigits)}${number}`
}

/**
 * Returns undefined if this ledger cannot have made the id. An id from another ledger can match the
 * pattern with arbitrary digits, so the caller must check that the node created this contract.
 */
export function nodeIn(contractId: ContractId): number | undefined {
  if (contractId.length !== idLength || !form.test(contractId)) return undefined
  return Number.parseInt(contractId.slice(-nodeDigits), 16)
}
