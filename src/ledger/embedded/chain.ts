import { hash } from 'node:crypto'
import type { Submission } from '../command.ts'
import type { Micros } from '../value.ts'
import type { StoredUpdate } from './encoding.ts'

export type UnstoredUpdate = Omit<StoredUpdate, 'updateId'>

/** The position of the last update. */
export interface Reached {
  readonly offset: number
  readonly recordTime: Micros
}

/** The last update's place in the chain, and the clock's. */
export interface Tail extends Reached {
  readonly updateId: string
  /** The row that the next node gets. */
  readonly nextNode: number
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

/** The chain's state before the first update. */
export function genesis(synchronizerId: string): Tail {
  return { offset: 0, updateId: `1220${textDigest(synchronizerId)}`, recordTime: 0, nextNode: 1 }
}

const offsetDigits = 12

/**
 * The id of an update: a hash over its content and the id before it, so that no update of a log can change unseen. Its
 * last twelve digits are the offset, so that no index is needed to find the update.
 */
export function chainedId(
  previousId: string,
  update: UnstoredUpdate,
  nodeDigests: readonly string[],
): string {
  const { offset, recordTime, kind, head } = update
  const digest = textDigest([previousId, offset, recordTime, kind, head, ...nodeDigests].join('\n'))
  return `1220${digest.slice(0, -offsetDigits)}${offset.toString(16).padStart(offsetDigits, '0')}`
}

/** The offset of the update with this id, if the update is this ledger's; undefined if the id has another form. */
export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? Number.parseInt(updateId.slice(-offsetDigits), 16) : undefined
}

/** The key of deduplication, 64 hex digits: user, set of parties, command id. */
export function commandKey(submission: Pick<Submission, 'userId' | 'actAs' | 'commandId'>): string {
  const actAs = [...new Set(submission.actAs)].sort()
  return textDigest(JSON.stringify([submission.userId, actAs, submission.commandId]))
}

/** A state of the ledger: the one after an update. */
export interface ChainMoment {
  readonly offset: number
  /** The row of the last node that there was. */
  readonly lastNode: number
}

/** The state after the last update, whichever it is. */
export const present: ChainMoment = { offset: Number.MAX_SAFE_INTEGER, lastNode: Number.MAX_SAFE_INTEGER }
