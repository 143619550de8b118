/** Milliseconds between two snapshots of a scan. The grid starts at midnight UTC (Splice's AcsSnapshotTrigger). */
export const gridMs = 3 * 3_600_000

/** Returns the latest instant of the grid that is not later than a time: milliseconds since 1970. */
export function gridAt(time: number): number {
  return Math.floor(time / gridMs) * gridMs
}

/** Returns the first instant of the grid that is later than a time: milliseconds since 1970. */
export function gridAfter(time: number): number {
  return gridAt(time) + gridMs
}

/** The last microsecond before a grid instant, so that an update of that very instant comes after it. */
export function justBefore(instant: number): string {
  return new Date(instant - 1).toISOString().replace('Z', '999Z')
}
