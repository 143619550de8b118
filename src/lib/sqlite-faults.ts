/**
 * The reason why a file cannot be used:
 * - `full`: the disk is full.
 * - `refused`: the operating system refuses a write, because of a quota or of a limit on the size of files.
 * - `busy`: another process uses the file.
 * - `broken`: the file cannot be opened, read or written, for example because the device fails.
 * - `damaged`: the content of the file is damaged.
 */
export type FileFault = 'full' | 'refused' | 'busy' | 'broken' | 'damaged'

/** Thrown if a file does not contain what was written to it. */
export class Damage extends Error {
  override readonly name = 'Damage'
}

/** The faults by SQLite's primary result code (sqlite.org/rescode.html). */
const faults: Readonly<Record<number, FileFault>> = {
  5: 'busy',
  8: 'broken',
  10: 'broken',
  11: 'damaged',
  13: 'full',
  14: 'broken',
  26: 'damaged',
}

/**
 * SQLite's result code SQLITE_IOERR_WRITE. As with a full disk, nothing was added to the file, and the next
 * write may succeed.
 */
const writeRefused = 778
/** SQLite's result code SQLITE_IOERR_SHORT_READ: the file ends within a page. */
const shortRead = 522

/**
 * Returns the fault of the file that caused an error. Undefined for any other error, which is a bug in the
 * program.
 */
export function fileFault(error: unknown): FileFault | undefined {
  if (error instanceof Damage || isUnsafeInteger(error)) return 'damaged'
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  if (typeof code !== 'number') return undefined
  if (code === writeRefused) return 'refused'
  return code === shortRead ? 'damaged' : faults[code & 0xff]
}

/**
 * Whether `node:sqlite` threw the error for an integer beyond `Number.MAX_SAFE_INTEGER`. This program stores none, so
 * the file is damaged.
 */
function isUnsafeInteger(error: unknown): boolean {
  return error instanceof RangeError && error.message.startsWith('Value is too large to be represented')
}

/** Whether a write that failed for this reason may succeed later. */
export function isPassing(fault: FileFault): fault is 'full' | 'refused' {
  return fault === 'full' || fault === 'refused'
}

/** Returns the text of an error, such as SQLite's `disk I/O error` or `database disk image is malformed`. */
export function faultText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
