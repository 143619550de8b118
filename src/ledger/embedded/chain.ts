import { hash } from 'node:crypto'
import type { Submission } from '../command.ts'
import type { Micros } from '../value.ts'
import type { StoredUpdate } from './encoding.ts'

export type UnstoredUpdate = Omit<StoredUpdate, 'updateId'>

/** The position of an update in the ledger, with its record time. */
export interface Reached {
  readonly offset: number
  readonly recordTime: Micros
}

/** The end of the chain of updates: the position and the id of the last update, and the row for the next node. */
export interface Tail extends Reached {
  readonly updateId: string
  /** The row of the table `nodes` that the next node will get. */
  readonly nextNode: number
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Returns the `Tail` of a chain that has no updates yet. */
export function genesis(synchronizerId: string): Tail {
  return { offset: 0, updateId: `1220${textDigest(synchronizerId)}`, recordTime: 0, nextNode: 1 }
}

const offsetDigits = 12

/**
 * Returns the id of an update: a hash of its content and of the previous update's id. If any earlier update is changed,
 * the id no longer fits. The last twelve hex digits are the offset, so that the ledger finds the update without an
 * index.
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

/**
 * Returns the offset that an update id contains. Undefined if the id does not have the form of this ledger's ids. An id
 * of the same form may come from another ledger. Its digits are then arbitrary, so code that uses the offset must check
 * that the update at this offset has the id.
 */
export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? Number.parseInt(updateId.slice(-offsetDigits), 16) : undefined
}

/**
 * Returns the key by which a repeated submission is recognised: a digest of the user id, the set of `actAs` and the
 * command id. It has 64 hex digits.
 */
export function commandKey(submission: Pick<Submission, 'userId' | 'actAs' | 'commandId'>): string {
  const actAs = [...new Set(submission.actAs)].sort()
  return textDigest(JSON.stringify([submission.userId, actAs, submission.commandId]))
}

/** A position in the chain, right after one update. It stands for the state of the ledger at that position. */
export interface ChainMoment {
  readonly offset: number
  /** The row in the table `nodes` of the last node before this position. */
  readonly lastNode: number
}

/** The position after all updates, which stands for the present state of the ledger. */
export const present: ChainMoment = { offset: Number.MAX_SAFE_INTEGER, lastNode: Number.MAX_SAFE_INTEGER }
