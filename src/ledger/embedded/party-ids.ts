import { hash } from 'node:crypto'
import type { Party } from '../value.ts'

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
