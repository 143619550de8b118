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

/** The end of the chain of updates: the last update's position and id, and the next free row of the table `nodes`. */
export interface Tail extends Reached {
  readonly updateId: string
  /** The row of the table `nodes` that the next node gets. */
  readonly nextNode: number
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Returns the end of an empty chain. */
export function genesis(synchronizerId: string): Tail {
  return { offset: 0, updateId: `1220${textDigest(synchronizerId)}`, recordTime: 0, nextNode: 1 }
}

const offsetDigits = 12

/**
 * Returns the id of an update: a hash of its content and of the previous update's id, so that a change of any earlier
 * update can be detected. The last twelve hex digits are the offset, so that the ledger finds the update without an
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
 * Returns the offset of an update, which its id contains. Undefined if the id has another form than this ledger's. If
 * another ledger made an id of the same form, the offset is arbitrary.
 */
export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? Number.parseInt(updateId.slice(-offsetDigits), 16) : undefined
}

/**
 * Returns the deduplication key of a submission: a digest of the user id, the set of `actAs` and the command id, as
 * 64 hex digits.
 */
export function commandKey(submission: Pick<Submission, 'userId' | 'actAs' | 'commandId'>): string {
  const actAs = [...new Set(submission.actAs)].sort()
  return textDigest(JSON.stringify([submission.userId, actAs, submission.commandId]))
}

/** Identifies the state of the ledger after one update. */
export interface ChainMoment {
  readonly offset: number
  /** The row, in the table `nodes`, of the last node in that state. */
  readonly lastNode: number
}

/** Stands for the present state of the ledger: no update is beyond it. */
export const present: ChainMoment = { offset: Number.MAX_SAFE_INTEGER, lastNode: Number.MAX_SAFE_INTEGER }
