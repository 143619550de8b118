import { statSync } from 'node:fs'

/**
 * Checks that a file may be written at this path: there is a regular file, or nothing.
 * @throws if there is something else, such as a folder or a device, which a process with enough rights would
 * replace.
 */
export function requireRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) throw new NotAFile(path)
}

/** Thrown if the path of a file is something else than a regular file. */
class NotAFile extends Error {
  override readonly name = 'NotAFile'
  /** Node's own errors of files have this member too, so callers recognise both by it. */
  readonly syscall = 'stat'

  constructor(path: string) {
    super(`${path} is not a file`)
  }
}
