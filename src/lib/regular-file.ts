import { statSync } from 'node:fs'

/**
 * Checks that a path leads to nothing, or to a regular file.
 * @throws an error if the path leads to a folder, a device or anything else. Without this check, a process
 * with enough rights would replace a device by a file.
 */
export function requireRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) throw new NotAFile(path)
}

class NotAFile extends Error {
  override readonly name = 'NotAFile'
  /** Node's own file errors have this field, so code that handles them handles this error too. */
  readonly syscall = 'stat'

  constructor(path: string) {
    super(`${path} is not a file`)
  }
}
