import { STATUS_CODES } from 'node:http'
import { faultKinds } from '../errors/fault-kinds.ts'

/** The values of the labels that are known before the daemon runs. */
export const labelValues = {
  method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  read: ['agreed', 'disputed', 'undecided', 'unreachable'],
  ask: ['value', 'refusal', 'abstention', ...faultKinds],
  vote: ['agree', 'dissent', 'lag', 'ahead', 'split', 'unchecked', 'abstain', 'fault'],
  standing: ['known', 'newer', 'older', 'unknown'],
  tier: ['memory', 'redis'],
  lookup: ['hit', 'stale', 'miss', 'error'],
  partition: ['values', 'absences'],
  readLimit: ['reads', 'asks'],
  recheck: ['dissent', 'lag', 'ahead', 'split', 'unchecked'],
  refresh: ['same', 'changed', 'held', 'failed'],
  redisRefusal: ['format', 'version', 'seal', 'key', 'digest', 'time', 'type'],
  redisOperation: ['get', 'set', 'delete', 'invalidate', 'floor'],
  write: ['committed', 'duplicate', 'refused', 'unavailable', 'failed'],
  heldUp: ['newer', 'withdrawn', 'behind'],
  claim: ['binding', 'state'],
  drain: [
    'taken',
    'withdrawn',
    'unreconciled',
    'not-yet',
    'path-unknown',
    'disputed',
    'too-many-entries',
    'unreachable',
    'roster-changed',
    'package',
    'failed',
  ],
  reconciliation: ['equal', 'different', 'skipped'],
  spotCheck: ['same', 'renewed', 'different', 'unanswered'],
  invalidatedFrom: ['here', 'elsewhere'],
  count: ['super_validators', 'operators'],
} as const

export type Label<Name extends keyof typeof labelValues> = (typeof labelValues)[Name][number]

export type ReadOutcome = Label<'read'>
export type AskOutcome = Label<'ask'>
export type VoteLabel = Label<'vote'>
export type HeldUpOutcome = Label<'heldUp'>
export type DrainLabel = Label<'drain'>

export function isFault(outcome: AskOutcome): boolean {
  return outcome !== 'value' && outcome !== 'refusal' && outcome !== 'abstention'
}

export const statuses: readonly string[] = Object.keys(STATUS_CODES)
