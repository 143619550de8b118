import { closeSync, openSync } from 'node:fs'

/**
 * Creates an empty file that only its owner can read, unless there is one. Does nothing where it cannot be created:
 * whoever opens it next says why.
 */
export function createOwnFile(path: string): void {
  if (path === ':memory:') return
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // The next one that opens the file finds the same fault.
  }
}
