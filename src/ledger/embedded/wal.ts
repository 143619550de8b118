import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** What stands in a write-ahead log after its last whole transaction. */
export interface TornTail {
  readonly bytes: number
  /**
   * Ends of transactions among them. A crash leaves one at most, and that one was never acknowledged: more say that
   * the file was damaged later.
   */
  readonly commits: number
}

const headerBytes = 32
const frameHeaderBytes = 24
/** The pages of a ledger, where the log's header does not say it any more. */
const usualPageBytes = 4096
/** How many generations older than the log's own a leftover may be: more than any daemon has lived through. */
const oldestLeftover = 0x10_0000

/**
 * Looks into a write-ahead log as SQLite's recovery will (sqlite.org/fileformat2.html#walformat), which ends it at
 * the first frame that is not whole and says nothing. Undefined where there is nothing to cut: no log, one that ends
 * with a transaction, or one that goes on with what an earlier generation left.
 */
export function tornTail(file: string): TornTail | undefined {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch {
    return undefined
  }
  try {
    return inspect(handle, fstatSync(handle).size)
  } finally {
    closeSync(handle)
  }
}

function inspect(handle: number, size: number): TornTail | undefined {
  const header = read(handle, 0, headerBytes)
  if (header.length === 0) return undefined
  if (header.length < headerBytes) return { bytes: size, commits: 0 }
  const little = littleEndian(header.readUInt32BE(0))
  if (little === undefined) return headless(handle, size)
  const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
  const salts = header.subarray(16, 24)
  const sums: [number, number] = [0, 0]
  add(sums, header.subarray(0, 24), little)
  if (sums[0] !== header.readUInt32BE(24) || sums[1] !== header.readUInt32BE(28))
    return headless(handle, size)

  let whole = headerBytes
  let at = headerBytes
  for (; at + frameBytes <= size; at += frameBytes) {
    const frame = read(handle, at, frameBytes)
    if (!frame.subarray(8, 16).equals(salts)) break
    add(sums, frame.subarray(0, 8), little)
    add(sums, frame.subarray(frameHeaderBytes), little)
    if (sums[0] !== frame.readUInt32BE(16) || sums[1] !== frame.readUInt32BE(20)) break
    if (isCommit(frame)) whole = at + frameBytes
  }
  return measure(handle, { from: whole, size, frameBytes, salts })
}

/** Without its header nothing of a log is taken, whatever its frames hold. */
function headless(handle: number, size: number): TornTail {
  const salts = read(handle, headerBytes, frameHeaderBytes).subarray(8, 16)
  const frameBytes = frameHeaderBytes + usualPageBytes
  const frames = [...ownFrames(handle, { from: headerBytes, size, frameBytes, salts })]
  return { bytes: size, commits: frames.filter(({ commits }) => commits).length }
}

/** Where to look for frames, and whose. */
interface Region {
  readonly from: number
  readonly size: number
  readonly frameBytes: number
  /** Of a generation. */
  readonly salts: Buffer
}

/**
 * What follows the last whole transaction, up to where an earlier generation's frames go on. A log is written from its
 * beginning: what stands before a frame of its own is no leftover, whatever it looks like.
 */
function measure(handle: number, region: Region): TornTail | undefined {
  const { from, size, frameBytes, salts } = region
  const own = [...ownFrames(handle, region)]
  const last = own.at(-1)
  let at = last === undefined ? from : last.at + frameBytes
  for (; at < size; at += frameBytes) {
    const header = read(handle, at, frameHeaderBytes)
    if (header.length < 16 || isLeftover(header, salts)) break
  }
  const bytes = Math.min(at, size) - from
  return bytes === 0 ? undefined : { bytes, commits: own.filter(({ commits }) => commits).length }
}

/** The frames of a generation, whole or not, and whether each is whole and ends a transaction. */
function* ownFrames(
  handle: number,
  { from, size, frameBytes, salts }: Region,
): Generator<{ readonly at: number; readonly commits: boolean }> {
  for (let at = from; at + frameHeaderBytes <= size; at += frameBytes) {
    const header = read(handle, at, frameHeaderBytes)
    if (!header.subarray(8, 16).equals(salts)) continue
    yield { at, commits: isCommit(header) && at + frameBytes <= size }
  }
}

function isCommit(frame: Buffer): boolean {
  return frame.readUInt32BE(4) !== 0
}

/** The first salt grows by one with each generation. */
function isLeftover(frame: Buffer, salts: Buffer): boolean {
  const age = (salts.readUInt32BE(0) - frame.readUInt32BE(8)) >>> 0
  return age > 0 && age < oldestLeftover
}

/** Whether the checksums take words as little-endian; undefined for what is no write-ahead log. */
function littleEndian(magic: number): boolean | undefined {
  if (magic === 0x377f0682) return true
  return magic === 0x377f0683 ? false : undefined
}

/** The checksum over what came before and these bytes. */
function add(sums: [number, number], bytes: Buffer, little: boolean): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let [first, second] = sums
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + view.getUint32(at, little) + second) >>> 0
    second = (second + view.getUint32(at + 4, little) + first) >>> 0
  }
  sums[0] = first
  sums[1] = second
}

function read(handle: number, at: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  return buffer.subarray(0, readSync(handle, buffer, 0, length, at))
}
