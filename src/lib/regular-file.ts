import { statSync } from 'node:fs'

/**
 * Throws if something else than a file is at the path, such as a folder or a device: who may write there could otherwise
 * replace it. Nothing at all is fine.
 */
export function requireRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) throw new NotAFile(path)
}

/** Something else than a file has the name of a file. */
class NotAFile extends Error {
  override readonly name = 'NotAFile'
  /** As errors of Node have it. */
  readonly syscall = 'stat'

  constructor(path: string) {
    super(`${path} is not a file`)
  }
}
