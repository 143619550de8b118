/**
 * The milliseconds between two snapshots of a scan. The first snapshot of each day is at midnight UTC
 * (Splice's AcsSnapshotTrigger).
 */
export const gridMs = 3 * 3_600_000

/**
 * Returns the latest time at or before `time` at which scans take a snapshot. Both are milliseconds since
 * 1970.
 */
export function gridAt(time: number): number {
  return Math.floor(time / gridMs) * gridMs
}

/** Returns the first time after `time` at which scans take a snapshot. Both are milliseconds since 1970. */
export function gridAfter(time: number): number {
  return gridAt(time) + gridMs
}

/**
 * Returns the last microsecond before a time, as a record time in its canonical form (`canonicalInstant`). A
 * page of updates that begins after this record time includes the updates at the given time.
 * @param instant milliseconds since 1970.
 */
export function justBefore(instant: number): string {
  return new Date(instant - 1).toISOString().replace('Z', '999Z')
}
