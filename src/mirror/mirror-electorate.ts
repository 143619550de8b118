import type { Agreement } from '../core/cache/agreement.ts'
import type { Electorate } from '../core/quorum/electorate.ts'
import { meetThreshold } from '../core/quorum/tally.ts'
import { lookupAnsEntryByName } from '../core/reads/ans.ts'
import { getAcsSnapshotAtV1 } from '../core/reads/snapshots.ts'
import { getUpdateHistoryV2 } from '../core/reads/updates.ts'
import type { Roster } from '../core/scan/roster.ts'
import { nameReads } from './name-state.ts'

const readIds = [getAcsSnapshotAtV1.id, getUpdateHistoryV2.id, ...nameReads]

/**
 * Returns the highest thresholds of all reads in `readIds`. No answer of the mirror then has less
 * agreement than its read requires.
 */
export function mirrorElectorate(roster: Roster): Electorate {
  return readIds
    .map((id) => roster.electorate(id))
    .reduce((highest, { superValidators, operators }) => ({
      voters: highest.voters,
      superValidators:
        superValidators.threshold > highest.superValidators.threshold
          ? superValidators
          : highest.superValidators,
      ...(operators !== undefined && {
        operators: operators.threshold > (highest.operators?.threshold ?? 0) ? operators : highest.operators,
      }),
    }))
}

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
