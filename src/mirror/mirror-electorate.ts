import type { Electorate } from '../quorum/electorate.ts'
import { getAcsSnapshotAtV1 } from '../reads/snapshots.ts'
import { getUpdateHistoryV2 } from '../reads/updates.ts'
import type { Roster } from '../scan/roster.ts'
import { nameReads } from './name-reads.ts'

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
