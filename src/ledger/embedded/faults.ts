/**
 * Why a file cannot be written: the disk is full, the system refuses (a quota, a limit on the size of files), another
 * process uses the file, the device fails, or the file is damaged.
 */
export type FileFault = 'full' | 'refused' | 'busy' | 'broken' | 'damaged'

/** The file does not hold what the ledger wrote. */
export class Damage extends Error {
  override readonly name = 'Damage'
}

/** Primary result codes (sqlite.org/rescode.html). */
const faults: Readonly<Record<number, FileFault>> = {
  5: 'busy',
  8: 'broken',
  10: 'broken',
  11: 'damaged',
  13: 'full',
  14: 'broken',
  26: 'damaged',
}

/** SQLITE_IOERR_WRITE: as with a full disk, nothing was added to the file, and the next write may well succeed. */
const writeRefused = 778

/** Undefined for an error that is not the file's: a mistake of the program. */
export function fileFault(error: unknown): FileFault | undefined {
  if (error instanceof Damage) return 'damaged'
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  if (typeof code !== 'number') return undefined
  return code === writeRefused ? 'refused' : faults[code & 0xff]
}

/** Whether what could not be written now may be written later. */
export function isPassing(fault: FileFault): fault is 'full' | 'refused' {
  return fault === 'full' || fault === 'refused'
}

/** `disk I/O error`, `database disk image is malformed`: SQLite's words, or the error's own. */
export function faultText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Why nothing is written to a file that is damaged. */
export function damagedFile(problem: string): string {
  return `The ledger takes no writes, its file is damaged: ${problem}.`
}
