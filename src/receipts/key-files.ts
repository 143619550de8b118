import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type FileHandle, link, rm, stat } from 'node:fs/promises'
import { z } from 'zod'
import { replaceFile, writeOwnFile } from '../base/lib/own-file.ts'
import { tryJsonText } from '../base/lib/parse-json-text.ts'
import { NotAFile, readRegularFile, requireRegularFile } from '../base/lib/regular-file.ts'
import { folderProblem } from '../base/lib/unusable-file.ts'
import { newSigningKey, pemOf, type SigningKey, trySigningKey } from './signing-key.ts'

/**
 * A key file or rotation file that cannot be used as it is. The message is for the daemon's
 * operator.
 */
export class KeyFileProblem extends Error {
  override readonly name = 'KeyFileProblem'
}

const rotatedKey = z.object({ keyid: z.string(), x: z.string(), nbf: z.int() })
const crossSignature = z.object({ keyid: z.string(), signature: z.string() })
const rotation = z.object({
  current: rotatedKey,
  next: rotatedKey.extend({ crossSignature }).optional(),
  previous: z.array(rotatedKey.extend({ exp: z.int() })),
})

/** The content of the rotation file, which has only public keys. Times are seconds since 1970. */
export type RotationState = z.infer<typeof rotation>

const longestFile = 65_536
const othersMask = 0o077
/**
 * The mode bits that a file of root must not have, if the daemon is another user. The group may
 * read the file, because Kubernetes mounts secrets for the daemon's group.
 */
const othersOfRootMask = 0o037

export function nextKeyPath(path: string): string {
  return `${path}.next`
}

export function rotationPath(path: string): string {
  return `${path}.rotation.json`
}

/**
 * Returns undefined if there is no file.
 * @throws KeyFileProblem if the file is damaged, too long or not a regular file, or if others may
 * read or change it.
 */
export async function readKey(path: string): Promise<SigningKey | undefined> {
  const pem = await readOwn(path)
  if (pem === undefined) return undefined
  const key = trySigningKey(pem)
  if (key === undefined) throw new KeyFileProblem(`${path} is damaged: it holds no Ed25519 key in PKCS#8 PEM`)
  return key
}

export async function writtenAt(path: string): Promise<number> {
  return Math.floor((await stat(path)).mtimeMs / 1000)
}

/**
 * Creates the key file, and returns the key that it has afterwards: if another process was faster,
 * the key of that process.
 * @throws KeyFileProblem if the folder does not exist or cannot be written.
 */
export async function makeKey(path: string): Promise<SigningKey> {
  const key = newSigningKey()
  const why = folderProblem(path)
  if (why !== undefined) throw new KeyFileProblem(`${path} cannot be made: ${why}`)
  const temporary = `${path}.${randomUUID()}`
  try {
    await writeOwnFile(temporary, [pemOf(key)])
    // Unlike `rename`, `link` never replaces a key that another process has just made.
    await link(temporary, path)
    return key
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return (await readKey(path)) ?? key
  } finally {
    await rm(temporary, { force: true })
  }
}

/**
 * @param keyPath the key file, whose owner becomes the owner of the written file.
 * @throws KeyFileProblem if this process may not change the owner.
 */
export function writeKey(path: string, key: SigningKey, keyPath: string): Promise<void> {
  return replace(path, pemOf(key), keyPath)
}

/**
 * Returns undefined if there is no file.
 * @throws KeyFileProblem if the file is damaged, too long or not a regular file, or if others may
 * read or change it.
 */
export async function readRotation(path: string): Promise<RotationState | undefined> {
  const text = await readOwn(path)
  if (text === undefined) return undefined
  const { data } = rotation.safeParse(tryJsonText(text))
  if (data === undefined) throw new KeyFileProblem(`${path} is damaged: it is not the state of a rotation`)
  return data
}

export function writeRotation(keyPath: string, state: RotationState): Promise<void> {
  return replace(rotationPath(keyPath), `${JSON.stringify({ v: 1, ...state }, undefined, 2)}\n`, keyPath)
}

async function readOwn(path: string): Promise<string | undefined> {
  const found = await statOf(path)
  if (found === undefined) return undefined
  const isOfRoot = found.uid === 0 && process.getuid?.() !== 0
  if ((found.mode & (isOfRoot ? othersOfRootMask : othersMask)) !== 0) {
    const mode = (found.mode & 0o777).toString(8)
    const most = isOfRoot ? '640' : '600'
    throw new KeyFileProblem(
      `${path} can be read or changed by others: its mode is ${mode}, and must be ${most}`,
    )
  }
  try {
    return readRegularFile(path, longestFile).toString('latin1')
  } catch (error) {
    if (error instanceof NotAFile) throw new KeyFileProblem(error.message)
    const { code, message } = error as NodeJS.ErrnoException
    const mode = (found.mode & 0o777).toString(8)
    const why = code === 'EACCES' ? `it belongs to the user ${found.uid}, and its mode is ${mode}` : message
    throw new KeyFileProblem(`${path} cannot be read: ${why}`)
  }
}

async function statOf(path: string) {
  try {
    requireRegularFile(path)
    return await stat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined
    throw new KeyFileProblem(error instanceof Error ? error.message : String(error))
  }
}

async function replace(path: string, content: string, keyPath: string): Promise<void> {
  requireRegularFile(path)
  const owner = await stat(keyPath)
  await replaceFile(path, [content], { prepare: (file) => giveTo(owner, file, keyPath) })
}

/**
 * Makes the key file's owner the owner of a new file. Otherwise a daemon that runs as another user
 * could not read a file that a command wrote as root.
 */
async function giveTo({ uid, gid }: Stats, file: FileHandle, keyPath: string): Promise<void> {
  if ((await file.stat()).uid === uid) return
  try {
    await file.chown(uid, gid)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error
    throw new KeyFileProblem(
      `${keyPath} belongs to the user ${uid}: only that user or root can write beside it`,
    )
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
