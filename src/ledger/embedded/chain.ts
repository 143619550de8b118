import { hash } from 'node:crypto'
import type { Submission } from '../command.ts'
import type { Micros } from '../value.ts'
import type { StoredUpdate } from './encoding.ts'

export type UnstoredUpdate = Omit<StoredUpdate, 'updateId'>

export interface OffsetAndTime {
  readonly offset: number
  readonly recordTime: Micros
}

export interface ChainTail extends OffsetAndTime {
  readonly updateId: string
  /** The row of the table `nodes` that the next node will get. */
  readonly nextNode: number
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'hex')
}

export function genesis(synchronizerId: string): ChainTail {
  return { offset: 0, updateId: `1220${textDigest(synchronizerId)}`, recordTime: 0, nextNode: 1 }
}

const offsetDigits = 12

/**
 * The id is a hash of the update's content and of the previous update's id, so a later change of an
 * update is noticed. The last twelve hex digits are the offset, so that the ledger finds the update
 * without an index.
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
 * Returns undefined if the id does not match `1220<64 hex>`. An id of another ledger can match with
 * arbitrary digits, so the caller must check that the update at this offset has this id.
 */
export function offsetIn(updateId: string): number | undefined {
  return /^1220[0-9a-f]{64}$/.test(updateId) ? Number.parseInt(updateId.slice(-offsetDigits), 16) : undefined
}

/** Returns the key by which the ledger recognises a repeated submission, as 64 hex digits. */
export function commandKey(submission: Pick<Submission, 'userId' | 'actAs' | 'commandId'>): string {
  const actAs = [...new Set(submission.actAs)].sort()
  return textDigest(JSON.stringify([submission.userId, actAs, submission.commandId]))
}

/**
 * A position right after one update. It identifies the state of the ledger between that update and
 * the next one.
 */
export interface ChainMoment {
  readonly offset: number
  /** The row, in the table `nodes`, of the last node before this position. */
  readonly lastNode: number
}

export const present: ChainMoment = { offset: Number.MAX_SAFE_INTEGER, lastNode: Number.MAX_SAFE_INTEGER }
