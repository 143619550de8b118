/**
 * Scans take a snapshot every three hours, beginning at midnight UTC (Splice's AcsSnapshotTrigger).
 */
export const gridMs = 3 * 3_600_000

/**
 * Returns the latest time at or before `time` at which scans take a snapshot. Both are milliseconds
 * since 1970.
 */
export function gridAt(time: number): number {
  return Math.floor(time / gridMs) * gridMs
}

export function gridAfter(time: number): number {
  return gridAt(time) + gridMs
}

/**
 * Returns the microsecond before `instant`, such as `2026-03-01T11:59:59.999999Z` for noon. A page
 * of updates that begins after it includes the updates at `instant`.
 * @param instant milliseconds since 1970.
 */
export function justBefore(instant: number): string {
  return new Date(instant - 1).toISOString().replace('Z', '999Z')
}
