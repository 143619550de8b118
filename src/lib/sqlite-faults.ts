/**
 * The reason why a file cannot be written: the disk is full, the system refuses (a quota, a limit on the size of
 * files), another process uses the file, the device fails, or the file is damaged.
 */
export type FileFault = 'full' | 'refused' | 'busy' | 'broken' | 'damaged'

/** The file does not hold what was written. */
export class Damage extends Error {
  override readonly name = 'Damage'
}

/** Reasons by SQLite's primary result codes (sqlite.org/rescode.html). */
const faults: Readonly<Record<number, FileFault>> = {
  5: 'busy',
  8: 'broken',
  10: 'broken',
  11: 'damaged',
  13: 'full',
  14: 'broken',
  26: 'damaged',
}

/** SQLITE_IOERR_WRITE. As with a full disk, nothing was added to the file, and the next write may succeed. */
const writeRefused = 778

/** Returns the fault of the file behind an error; undefined for other errors, which are bugs in the program. */
export function fileFault(error: unknown): FileFault | undefined {
  if (error instanceof Damage) return 'damaged'
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  if (typeof code !== 'number') return undefined
  return code === writeRefused ? 'refused' : faults[code & 0xff]
}

/** Whether a later write may succeed. */
export function isPassing(fault: FileFault): fault is 'full' | 'refused' {
  return fault === 'full' || fault === 'refused'
}

/** Returns the text of an error, such as SQLite's `disk I/O error` or `database disk image is malformed`. */
export function faultText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
