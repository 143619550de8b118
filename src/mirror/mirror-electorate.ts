import type { Electorate } from '../quorum/electorate.ts'
import { getAcsSnapshotAtV1 } from '../reads/snapshots.ts'
import { getUpdateHistoryV2 } from '../reads/updates.ts'
import type { Roster } from '../scan/roster.ts'
import { nameReads } from './name-reads.ts'

/** The ids of the reads that the mirror answers, and of those that fill it. */
const readIds = [getAcsSnapshotAtV1.id, getUpdateHistoryV2.id, ...nameReads]

/** Returns the electorate with the highest of the thresholds of these reads, so that the mirror lowers none. */
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
