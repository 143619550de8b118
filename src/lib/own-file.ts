import { closeSync, openSync } from 'node:fs'

/** Creates an empty file that only its owner can read, unless the file exists. */
export function createOwnFile(path: string): void {
  if (path === ':memory:') return
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // The code that opens the file afterwards reports the error.
  }
}
