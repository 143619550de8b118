import { statSync } from 'node:fs'

/**
 * Protects devices: in a process with enough rights, a rename onto `/dev/null` would replace the
 * device by a file.
 * @throws an error if the path leads to a folder, a device or anything but a regular file
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
