import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { requireRegularFile } from './regular-file.ts'

/** Creates an empty file that only its owner can read, unless the file exists. */
export function createOwnFile(path: string): void {
  if (path === ':memory:') return
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // The code that opens the file afterwards reports the error.
  }
}

export interface Writing {
  /** The name of the file until it is whole. A fixed name leaves at most one file after crashes. */
  readonly temporary?: string
  /** Called before anything is written. */
  readonly prepare?: (file: FileHandle) => Promise<void>
}

/**
 * Replaces a file at once: readers see the old content or the new one, also after a crash. Only its
 * owner can read the file. Other work runs between the parts of the content.
 * @throws NotAFile if the path leads to anything but a regular file, or an error of the system; the
 * old content then stays.
 */
export async function replaceFile(
  path: string,
  parts: Iterable<string>,
  { temporary = `${path}.${randomUUID()}`, prepare }: Writing = {},
): Promise<void> {
  requireRegularFile(path)
  try {
    await writeOwnFile(temporary, parts, prepare)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

export async function writeOwnFile(
  path: string,
  parts: Iterable<string>,
  prepare?: Writing['prepare'],
): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await prepare?.(file)
  for (const part of parts) await file.writeFile(part)
  await file.sync()
}
