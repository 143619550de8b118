import type { Agreement } from '../cache/agreement.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { meetThreshold } from '../quorum/threshold-met.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import type { Roster } from '../scan/roster.ts'
import { mirrorElectorate } from './mirror-electorate.ts'

/**
 * Returns true if all super validators that agreed are still in the roster, and meet its threshold
 * for a lookup by name.
 */
export function isStillAgreed(agreement: Pick<Agreement, 'agreed'>, roster: Roster): boolean {
  return meetsAll(agreement, roster, roster.electorate(lookupAnsEntryByName.id))
}

/**
 * Returns true if all super validators that agreed are still in the roster, and meet the highest
 * threshold of the reads behind the mirror (`mirrorElectorate`).
 */
export function isEnoughForMirror(agreement: Pick<Agreement, 'agreed'>, roster: Roster): boolean {
  return meetsAll(agreement, roster, mirrorElectorate(roster))
}

function meetsAll({ agreed }: Pick<Agreement, 'agreed'>, roster: Roster, electorate: Electorate): boolean {
  const names = new Set(agreed)
  const group: number[] = []
  let found = 0
  for (const [index, voter] of roster.voters.entries()) {
    const own = voter.names.filter((name) => names.has(name)).length
    if (own > 0) group.push(index)
    found += own
  }
  return found === names.size && meetThreshold(electorate, group)
}
