import { hash } from 'node:crypto'
import type { Party } from '../value.ts'

const longestHint = 120

/**
 * Yields the party ids to try for a new user, the preferred one first. The first id is made from the hint:
 * `_` replaces the characters that Canton forbids, and the result is cut to 120 characters. Each further id
 * has a hash of the user id appended, with more digits than in the id before.
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
