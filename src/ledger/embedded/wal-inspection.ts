import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import {
  addFrameAndCompare,
  frameHeaderBytes,
  headerBytes,
  headerOf,
  isCommit,
  type LogHeader,
  type Sums,
  sumsIn,
} from './wal-format.ts'

export interface TornTail {
  readonly bytes: number
  readonly commits: number
}

/**
 * The state of a write-ahead log. It must be known before SQLite opens the file, because SQLite
 * drops everything after the first wrong checksum without an error.
 */
export type LogState =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole' }
  /**
   * A crash interrupted the writing of the header or of the last transaction. The submitters of
   * that transaction have not received a result.
   */
  | ({ readonly kind: 'torn' } & TornTail)
  /** More than one transaction is damaged. A crash cannot cause this. */
  | ({ readonly kind: 'damaged' } & TornTail)
  /**
   * The header is invalid. A crash cannot cause this, because SQLite syncs the header before it
   * writes the first frame.
   */
  | { readonly kind: 'headless'; readonly bytes: number }
  /**
   * The pages of the log and of the database differ in size, so the log belongs to another
   * database.
   */
  | { readonly kind: 'foreign'; readonly bytes: number }
  /** The database is empty, so SQLite would delete the log. */
  | { readonly kind: 'orphaned'; readonly bytes: number }

const none: LogState = { kind: 'none' }
const whole: LogState = { kind: 'whole' }
/**
 * A limit for the age of a leftover frame (`isLeftover`). No daemon restarts its log this often, so
 * an older frame comes from another log, or is damaged.
 */
const oldestLeftover = 0x10_0000

/**
 * Determines the state of a write-ahead log by the rules of SQLite's recovery
 * (sqlite.org/fileformat2.html#walformat).
 */
export function inspectLog(file: string): LogState {
  const handle = tryOpen(`${file}-wal`)
  if (handle === undefined) return none
  try {
    return inspect(handle, fstatSync(handle).size, file)
  } finally {
    closeSync(handle)
  }
}

/** Returns undefined if the file is not a database; 0 if the file is empty or missing. */
export function pageBytesOf(file: string): number | undefined {
  const handle = tryOpen(file)
  if (handle === undefined) return 0
  try {
    const header = read(handle, 0, 18)
    if (header.length === 0) return 0
    if (header.length < 18 || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') return undefined
    const bytes = header.readUInt16BE(16)
    return bytes === 1 ? 65_536 : bytes
  } finally {
    closeSync(handle)
  }
}

function tryOpen(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function inspect(handle: number, size: number, file: string): LogState {
  if (size === 0) return none
  const header = size < headerBytes ? undefined : headerOf(read(handle, 0, headerBytes))
  if (size <= headerBytes) return header === undefined ? { kind: 'torn', bytes: size, commits: 0 } : whole
  const pageBytes = pageBytesOf(file)
  if (pageBytes === 0) return { kind: 'orphaned', bytes: size }
  if (header === undefined) return { kind: 'headless', bytes: size }
  if (pageBytes !== undefined && header.pageBytes !== pageBytes) return { kind: 'foreign', bytes: size }
  return measure(handle, size, header)
}

/**
 * Leftovers (`isLeftover`) can only come after all frames of the present log, because SQLite
 * overwrites the log from the beginning.
 */
function measure(handle: number, size: number, header: LogHeader): LogState {
  const { frameBytes, salts } = header
  const from = endOfWhole(handle, size, header)
  const own = ownFrames(handle, size, header, from)
  const last = own.at(-1)
  if (from === headerBytes && last === undefined && hasOthersFrames(handle, header))
    return { kind: 'headless', bytes: size }
  let at = last === undefined ? from : last.at + frameBytes
  for (; at < size; at += frameBytes) {
    const frame = read(handle, at, frameHeaderBytes)
    if (frame.length < 16 || isLeftover(frame, salts)) break
  }
  const bytes = Math.min(at, size) - from
  if (bytes === 0) return whole
  const commits = own.filter((frame) => frame.commits).length
  return { kind: areOfSeveral(own) ? 'damaged' : 'torn', bytes, commits }
}

function endOfWhole(handle: number, size: number, { frameBytes, salts, little, sums }: LogHeader): number {
  const running: Sums = [...sums]
  let end = headerBytes
  for (let at = headerBytes; at + frameBytes <= size; at += frameBytes) {
    const frame = read(handle, at, frameBytes)
    if (!frame.subarray(8, 16).equals(salts) || !addFrameAndCompare(frame, running, little)) break
    if (isCommit(frame)) end = at + frameBytes
  }
  return end
}

interface OwnFrame {
  readonly at: number
  readonly commits: boolean
  readonly page: number
}

/**
 * Returns the frames, from the position `from` on, that SQLite wrote since it last began to
 * overwrite the log. Such a frame has the salts of the header, or its checksum continues the
 * previous one. The checksum does not cover the salts, so it holds even if they are damaged.
 */
function ownFrames(handle: number, size: number, header: LogHeader, from: number): readonly OwnFrame[] {
  const { frameBytes, salts, little } = header
  const own: OwnFrame[] = []
  let before: Sums | undefined =
    from === headerBytes ? header.sums : sumsIn(read(handle, from - frameBytes, 24))
  for (let at = from; at + frameHeaderBytes <= size; at += frameBytes) {
    const frame = read(handle, at, frameBytes)
    const isWhole = frame.length === frameBytes
    const follows: boolean = before !== undefined && isWhole && addFrameAndCompare(frame, [...before], little)
    const isOwn: boolean = follows || frame.subarray(8, 16).equals(salts)
    if (isOwn) own.push({ at, commits: isWhole && isCommit(frame), page: frame.readUInt32BE(0) })
    before = isOwn ? sumsIn(frame) : undefined
  }
  return own
}

/**
 * In a single transaction, only the last frame is marked as a commit, and no page is written twice
 * before that frame.
 */
function areOfSeveral(own: readonly OwnFrame[]): boolean {
  const pages = new Set<number>()
  return own.slice(0, -1).some(({ commits, page }) => commits || pages.size === pages.add(page).size)
}

function hasOthersFrames(handle: number, { frameBytes, salts, little }: LogHeader): boolean {
  const [first, second] = [0, 1].map((index) => read(handle, headerBytes + index * frameBytes, frameBytes))
  if (first === undefined || second === undefined || second.length < frameBytes) return false
  return !isLeftover(first, salts) && addFrameAndCompare(second, sumsIn(first), little)
}

/**
 * True if SQLite wrote the frame before it last began to overwrite the log. SQLite then adds one to
 * the first salt.
 */
function isLeftover(frame: Buffer, salts: Buffer): boolean {
  const age = (salts.readUInt32BE(0) - frame.readUInt32BE(8)) >>> 0
  return age > 0 && age < oldestLeftover
}

function read(handle: number, at: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  return buffer.subarray(0, readSync(handle, buffer, 0, length, at))
}
