/**
 * The reason why a file cannot be used:
 * - `refused`: the system refuses a write, because of a quota or a limit on the size of files.
 * - `busy`: another process uses the file.
 * - `broken`: the file cannot be opened, read or written, for example because the device fails.
 */
export type FileFault = 'full' | 'refused' | 'busy' | 'broken' | 'damaged'

export class Damage extends Error {
  override readonly name = 'Damage'
}

/** The keys are SQLite's primary result codes (sqlite.org/rescode.html). */
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
 * The extended codes SQLITE_IOERR_WRITE and SQLITE_IOERR_SHORT_READ. After the former, nothing was
 * added to the file, and the next write may succeed.
 */
const writeRefused = 778
const shortRead = 522

/** Returns undefined for an error that is a bug in the program. */
export function fileFault(error: unknown): FileFault | undefined {
  if (error instanceof Damage || isUnsafeInteger(error)) return 'damaged'
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  if (typeof code !== 'number') return undefined
  if (code === writeRefused) return 'refused'
  return code === shortRead ? 'damaged' : faults[code & 0xff]
}

/**
 * `node:sqlite` throws this error for an integer beyond `Number.MAX_SAFE_INTEGER`. This program
 * stores none, so the file is damaged.
 */
function isUnsafeInteger(error: unknown): boolean {
  return error instanceof RangeError && error.message.startsWith('Value is too large to be represented')
}

export function isPassing(fault: FileFault): fault is 'full' | 'refused' {
  return fault === 'full' || fault === 'refused'
}

export function faultText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
