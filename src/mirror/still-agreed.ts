import type { Agreement } from '../cache/agreement.ts'
import { meets } from '../quorum/electorate.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import type { Roster } from '../scan/roster.ts'

/** Whether all that agreed are members of this roster, and are enough under its thresholds. */
export function isStillAgreed({ agreed }: Pick<Agreement, 'agreed'>, roster: Roster): boolean {
  const names = new Set(agreed)
  const group: number[] = []
  let found = 0
  for (const [index, voter] of roster.voters.entries()) {
    const own = voter.names.filter((name) => names.has(name)).length
    if (own > 0) group.push(index)
    found += own
  }
  return found === names.size && meets(roster.electorate(lookupAnsEntryByName.id), group)
}
