import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** The file is a folder, a device, a pipe or a loop of symbolic links, or it is too long. */
export class NotAFile extends Error {
  override readonly name = 'NotAFile'
  /** Node's own file errors have these two fields, so code that handles them handles this error too. */
  readonly syscall = 'stat'
  readonly path: string
  /** Follows "it is": `a folder, not a file`. */
  readonly what: string

  constructor(path: string, what: string) {
    super(`${path} is ${what}`)
    this.path = path
    this.what = what
  }
}

/**
 * Protects devices: in a process with enough rights, a rename onto `/dev/null` would replace the
 * device by a file.
 * @throws NotAFile if the path leads to a folder, a device or anything but a regular file
 */
export function requireRegularFile(path: string): void {
  const found = withoutLoop(path, () => statSync(path, { throwIfNoEntry: false }))
  if (found !== undefined && !found.isFile()) throw new NotAFile(path, 'not a file')
}

/**
 * Reads a regular file of at most `most` bytes. A pipe or a device at this path could block the
 * process or fill its memory.
 * @throws NotAFile, or the error of the system if the file cannot be opened
 */
export function readRegularFile(path: string, most: number): Buffer {
  const file = withoutLoop(path, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
  try {
    const stat = fstatSync(file)
    if (stat.isDirectory()) throw new NotAFile(path, 'a folder, not a file')
    if (!stat.isFile()) throw new NotAFile(path, 'not a file')
    if (stat.size > most) throw new NotAFile(path, `longer than ${most} bytes`)
    // The system says that the files of /proc have no bytes.
    let bytes = Buffer.alloc(Math.min(most, stat.size || 65_536) + 1)
    let length = 0
    for (let read = -1; read !== 0 && length <= most; length += read) {
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(most + 1, 2 * length))
      read = readSync(file, bytes, length, bytes.length - length, null)
    }
    if (length > most) throw new NotAFile(path, `longer than ${most} bytes`)
    return bytes.subarray(0, length)
  } catch (error) {
    // Errors of `readSync` lack the path.
    throw Object.assign(error as Error, { path })
  } finally {
    closeSync(file)
  }
}

function withoutLoop<T>(path: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error
    throw new NotAFile(path, 'a loop of symbolic links')
  }
}
