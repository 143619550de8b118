import { randomUUID } from 'node:crypto'
import { constants, open, rename, rm } from 'node:fs/promises'
import { z } from 'zod'
import { requireRegularFile } from '../lib/regular-file.ts'
import type { RosterSet } from './roster.ts'

const schema = z.strictObject({
  version: z.literal(1),
  network: z.string(),
  agreedAt: z.iso.datetime(),
  dso: z.string(),
  synchronizer: z.string(),
  members: z.array(z.strictObject({ name: z.string(), urls: z.array(z.string()) })),
})

export interface RosterFileOptions {
  readonly path: string
  readonly network: string
  readonly dso: string | undefined
  readonly maxAgeMs: number
}

export type RosterFileContent =
  | { readonly kind: 'kept'; readonly set: RosterSet; readonly agreedAt: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly why: string }

/**
 * Reads the stored roster. The result is `unusable` unless the roster is of the configured network
 * and DSO, less than `maxAgeMs` old, and not from the future (quorum.md#the-roster-file).
 */
export async function readRosterFile(options: RosterFileOptions, wall: number): Promise<RosterFileContent> {
  const unusable = (why: string): RosterFileContent => ({ kind: 'unusable', why })
  let text: string
  try {
    const read = await readWithin(options.path)
    if ('problem' in read) return unusable(read.problem)
    text = read.text
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { kind: 'none' } : unusable(String(error))
  }
  const parsed = tryParse(text)
  if (parsed === undefined) return unusable('it is not a roster')
  const agreedAt = Date.parse(parsed.agreedAt)
  if (parsed.network !== options.network) return unusable(`it is of the network ${parsed.network}`)
  if (options.dso !== undefined && parsed.dso !== options.dso) return unusable('it is of another DSO')
  if (!(agreedAt <= wall && wall - agreedAt < options.maxAgeMs))
    return unusable(`it is of ${parsed.agreedAt}`)
  const { dso, synchronizer, members } = parsed
  return { kind: 'kept', set: { dso, synchronizer, members }, agreedAt }
}

const longestFile = 4 * 1024 * 1024

/**
 * Reads a regular file of at most `longestFile` bytes. Anything else is a problem: a device or a
 * pipe at this path could fill the memory or block the daemon.
 */
async function readWithin(path: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) return { problem: 'it is not a file' }
    const bytes = Buffer.alloc(longestFile + 1)
    let length = 0
    for (let read = -1; read !== 0 && length <= longestFile; length += read)
      read = (await file.read(bytes, length, bytes.length - length)).bytesRead
    if (length > longestFile) return { problem: `it is longer than ${longestFile} bytes` }
    return { text: bytes.toString('utf8', 0, length) }
  } finally {
    await file.close()
  }
}

/**
 * Replaces the roster file atomically, so that a reader sees either the old file or the new one.
 * Only the file's owner can read it.
 * @throws Error if the file cannot be written, or if its path is not that of a regular file.
 */
export async function writeRosterFile(
  options: RosterFileOptions,
  set: RosterSet,
  wall: number,
): Promise<void> {
  const text = JSON.stringify(
    { version: 1, network: options.network, agreedAt: new Date(wall).toISOString(), ...set },
    null,
    2,
  )
  requireRegularFile(options.path)
  const temporary = `${options.path}.${randomUUID()}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${text}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, options.path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

function tryParse(text: string): z.infer<typeof schema> | undefined {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
