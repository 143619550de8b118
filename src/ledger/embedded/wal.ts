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
/** How many generations older than the log's own a leftover may be. */
const oldestLeftover = 0x1000_0000

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
  if (little === undefined) return { bytes: size, commits: 0 }
  const frameBytes = frameHeaderBytes + header.readUInt32BE(8)
  const salts = header.subarray(16, 24)
  const sums: [number, number] = [0, 0]
  add(sums, header.subarray(0, 24), little)
  if (sums[0] !== header.readUInt32BE(24) || sums[1] !== header.readUInt32BE(28))
    return { bytes: size, commits: 0 }

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
  return measure(handle, whole, size, frameBytes, salts)
}

/** What was begun after the last whole transaction, up to where an earlier generation's frames go on. */
function measure(
  handle: number,
  from: number,
  size: number,
  frameBytes: number,
  salts: Buffer,
): TornTail | undefined {
  let commits = 0
  let at = from
  for (; at < size; at += frameBytes) {
    const header = read(handle, at, frameHeaderBytes)
    if (header.length < 16 || isLeftover(header, salts)) break
    if (isCommit(header) && at + frameBytes <= size && header.subarray(8, 16).equals(salts)) commits++
  }
  const bytes = Math.min(at, size) - from
  return bytes === 0 ? undefined : { bytes, commits }
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
