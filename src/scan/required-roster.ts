import { SpliceError } from '../errors/splice.ts'
import type { Discovery } from './discovery.ts'
import type { Roster } from './roster.ts'

export const retryAfterSeconds = 2

/** @throws SpliceError `noRosterYet` if there is no roster. */
export function requiredRoster(discovery: Pick<Discovery, 'roster' | 'status'>): Roster {
  if (discovery.roster !== undefined) return discovery.roster
  const why = discovery.status.waitingFor ?? ''
  throw new SpliceError('noRosterYet', { why }, { retryAfter: retryAfterSeconds })
}
