/** What keeps a file from being written: it is full, in use, out of order as a device, or not what was written. */
export type FileFault = 'full' | 'busy' | 'broken' | 'damaged'

/** The file holds something else than was written. */
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

/** Undefined for an error that is not the file's: a mistake of the program. */
export function fileFault(error: unknown): FileFault | undefined {
  if (error instanceof Damage) return 'damaged'
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  return typeof code === 'number' ? faults[code & 0xff] : undefined
}

/** `disk I/O error`, `database disk image is malformed`: SQLite's words, or the error's own. */
export function faultText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
