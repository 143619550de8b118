import { STATUS_CODES } from 'node:http'
import { faultKinds } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export const readOutcomes = [
  'agreed',
  'disputed',
  'undecided',
  'unreachable',
] as const satisfies readonly Verdict['kind'][]
export const askOutcomes = ['value', 'refusal', 'abstention', ...faultKinds] as const
export const votes = ['agree', 'dissent', 'lag', 'ahead', 'split', 'unchecked', 'abstain', 'fault'] as const
export const releaseStandings = ['known', 'newer', 'older', 'unknown'] as const
export const tiers = ['memory', 'redis'] as const
export const lookupResults = ['hit', 'stale', 'miss', 'error'] as const
export const partitions = ['values', 'absences'] as const
export const readLimits = ['reads', 'asks'] as const
export const rechecks = ['dissent', 'lag', 'ahead', 'split', 'unchecked'] as const
export const refreshOutcomes = ['same', 'changed', 'held', 'failed'] as const
export const redisRefusals = ['format', 'version', 'seal', 'key', 'digest', 'time', 'type'] as const
export const redisOperations = ['get', 'set', 'delete', 'invalidate', 'floor'] as const
export const writeOutcomes = ['committed', 'duplicate', 'refused', 'unavailable', 'failed'] as const
export const heldUpOutcomes = ['newer', 'withdrawn', 'behind'] as const
export const mirrorClaims = ['binding', 'state'] as const
export const drainOutcomes = [
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
] as const
export const reconciliationOutcomes = ['equal', 'different', 'skipped'] as const
export const spotCheckOutcomes = ['same', 'renewed', 'different', 'unanswered'] as const
export const invalidatedFrom = ['here', 'elsewhere'] as const

export type ReadOutcome = (typeof readOutcomes)[number]
export type AskOutcome = (typeof askOutcomes)[number]
export type VoteLabel = (typeof votes)[number]
export type ReleaseStandingLabel = (typeof releaseStandings)[number]
export type Tier = (typeof tiers)[number]
export type LookupResult = (typeof lookupResults)[number]
export type ReadLimit = (typeof readLimits)[number]
export type Recheck = (typeof rechecks)[number]
export type RefreshOutcome = (typeof refreshOutcomes)[number]
export type RedisRefusal = (typeof redisRefusals)[number]
export type RedisOperation = (typeof redisOperations)[number]
export type WriteLabel = (typeof writeOutcomes)[number]
export type HeldUpOutcome = (typeof heldUpOutcomes)[number]
export type ClaimLabel = (typeof mirrorClaims)[number]
export type DrainLabel = (typeof drainOutcomes)[number]
export type ReconciliationLabel = (typeof reconciliationOutcomes)[number]
export type SpotCheckLabel = (typeof spotCheckOutcomes)[number]
export type InvalidatedFrom = (typeof invalidatedFrom)[number]

export function isFault(outcome: AskOutcome): boolean {
  return outcome !== 'value' && outcome !== 'refusal' && outcome !== 'abstention'
}

export const statuses: readonly string[] = Object.keys(STATUS_CODES)
export const counts = ['super_validators', 'operators'] as const
