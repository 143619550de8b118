import { hash } from 'node:crypto'
import type { Submission } from '../command.ts'
import type { Micros } from '../value.ts'
import type { StoredUpdate } from './encoding.ts'

export type UnstoredUpdate = Omit<StoredUpdate, 'updateId'>

/** The offset and the record time of an update. */
export interface Reached {
  readonly offset: number
  readonly recordTime: Micros
}

/**
 * The end of the chain of updates: the offset, record time and id of the last update, and the row for the
 * next node.
 */
export interface ChainTail extends Reached {
  readonly updateId: string
  /** The row of the table `nodes` that the next node will get. */
  readonly nextNode: number
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Returns the end of a chain that has no updates yet. */
export function genesis(synchronizerId: string): ChainTail {
  return { offset: 0, updateId: `1220${textDigest(synchronizerId)}`, recordTime: 0, nextNode: 1 }
}

const offsetDigits = 12

/**
 * Returns the id of an update. It is a hash of the update's content and of the previous update's id. If an
 * earlier update is changed later, the ids after it no longer match. The last twelve hex digits are the
 * offset, so that the ledger finds the update by its id without an index.
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
 * Returns the offset that an update id contains. Undefined if the id does not match `1220<64 hex>`. Ids of
 * other ledgers may match too, but their last digits are arbitrary. The caller must therefore check that the
 * update at the returned offset has this id.
 */
export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? Number.parseInt(updateId.slice(-offsetDigits), 16) : undefined
}

/**
 * Returns the key by which the ledger recognises a repeated submission: a digest of the user id, the set of
 * `actAs` parties and the command id. It has 64 hex digits.
 */
export function commandKey(submission: Pick<Submission, 'userId' | 'actAs' | 'commandId'>): string {
  const actAs = [...new Set(submission.actAs)].sort()
  return textDigest(JSON.stringify([submission.userId, actAs, submission.commandId]))
}

/**
 * A position in the chain of updates, right after one update. It identifies the state of the ledger between
 * that update and the next one.
 */
export interface ChainMoment {
  readonly offset: number
  /** The row, in the table `nodes`, of the last node before this position. */
  readonly lastNode: number
}

/** The position after all updates. It identifies the present state of the ledger. */
export const present: ChainMoment = { offset: Number.MAX_SAFE_INTEGER, lastNode: Number.MAX_SAFE_INTEGER }
