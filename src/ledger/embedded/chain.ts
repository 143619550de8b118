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

/** The chain's state after its last update: that update's position and id, and the row for the next node. */
export interface Tail extends Reached {
  readonly updateId: string
  /** The row that the next node gets. */
  readonly nextNode: number
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Returns the state of an empty chain. */
export function genesis(synchronizerId: string): Tail {
  return { offset: 0, updateId: `1220${textDigest(synchronizerId)}`, recordTime: 0, nextNode: 1 }
}

const offsetDigits = 12

/**
 * Returns the id of an update: a hash over its content and the previous update's id, so that a change of any update
 * in the log shows. The last twelve digits are the offset, so no index is needed to find the update.
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
 * Returns the offset in an update id of this ledger; undefined if the id has another form. For another ledger's id of
 * the same form, the offset is arbitrary.
 */
export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? Number.parseInt(updateId.slice(-offsetDigits), 16) : undefined
}

/** Returns the deduplication key of a submission: 64 hex digits, a digest of user, set of parties and command id. */
export function commandKey(submission: Pick<Submission, 'userId' | 'actAs' | 'commandId'>): string {
  const actAs = [...new Set(submission.actAs)].sort()
  return textDigest(JSON.stringify([submission.userId, actAs, submission.commandId]))
}

/** The position of a state of the ledger: the state after one update. */
export interface ChainMoment {
  readonly offset: number
  /** The row of the last node at that state. */
  readonly lastNode: number
}

/** Stands for the ledger's current state. */
export const present: ChainMoment = { offset: Number.MAX_SAFE_INTEGER, lastNode: Number.MAX_SAFE_INTEGER }
