import type { Electorate } from '../quorum/electorate.ts'
import { getAcsSnapshotAtV1 } from '../reads/snapshots.ts'
import { getUpdateHistoryV2 } from '../reads/updates.ts'
import type { Roster } from '../scan/roster.ts'
import { nameReads } from './name-reads.ts'

/** The ids of the reads that the mirror answers, and of the reads that fill the mirror. */
const readIds = [getAcsSnapshotAtV1.id, getUpdateHistoryV2.id, ...nameReads]

/**
 * Returns an electorate with the highest thresholds of all reads in `readIds`. The mirror then answers no
 * read with less agreement than the read requires.
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
