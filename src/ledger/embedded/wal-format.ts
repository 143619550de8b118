export const headerBytes = 32
export const frameHeaderBytes = 24

/**
 * The two 32-bit words of a checksum in SQLite's write-ahead log. The checksum of a frame (one
 * written page) covers the header of the log and all frames up to this one. It does not cover the
 * salts and the checksums of frames.
 */
export type Sums = [number, number]

/** The decoded header of a write-ahead log (sqlite.org/fileformat2.html#walformat). */
export interface LogHeader {
  readonly little: boolean
  readonly pageBytes: number
  readonly frameBytes: number
  /**
   * Two numbers of 4 bytes. SQLite changes them whenever it begins to overwrite the log, so a frame
   * with other salts was written earlier.
   */
  readonly salts: Buffer
  readonly sums: Sums
}

const littleMagic = 0x377f0682
const bigMagic = 0x377f0683
const formatVersion = 3_007_000
const pageSizes = new Set([512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536])

export function headerOf(bytes: Buffer): LogHeader | undefined {
  const magic = bytes.readUInt32BE(0)
  if (magic !== littleMagic && magic !== bigMagic) return undefined
  const little = magic === littleMagic
  const sums: Sums = [0, 0]
  add(sums, bytes.subarray(0, 24), little)
  if (sums[0] !== bytes.readUInt32BE(24) || sums[1] !== bytes.readUInt32BE(28)) return undefined
  const pageBytes = bytes.readUInt32BE(8)
  if (!pageSizes.has(pageBytes)) return undefined
  const frameBytes = frameHeaderBytes + pageBytes
  return { little, pageBytes, frameBytes, salts: bytes.subarray(16, 24), sums }
}

export function headerFor({ little, pageBytes, salts }: Omit<LogHeader, 'frameBytes' | 'sums'>): Buffer {
  const bytes = Buffer.alloc(headerBytes)
  bytes.writeUInt32BE(little ? littleMagic : bigMagic, 0)
  bytes.writeUInt32BE(formatVersion, 4)
  bytes.writeUInt32BE(pageBytes, 8)
  salts.copy(bytes, 16)
  const sums: Sums = [0, 0]
  add(sums, bytes.subarray(0, 24), little)
  writeSums(bytes, sums)
  return bytes
}

/**
 * Extends `sums` by a frame, in place. Returns true if the result equals the checksum in the
 * frame's header.
 */
export function addFrameAndCompare(frame: Buffer, sums: Sums, little: boolean): boolean {
  addFrame(frame, sums, little)
  return sums[0] === frame.readUInt32BE(16) && sums[1] === frame.readUInt32BE(20)
}

export function addFrame(frame: Buffer, sums: Sums, little: boolean): void {
  add(sums, frame.subarray(0, 8), little)
  add(sums, frame.subarray(frameHeaderBytes), little)
}

export function sumsIn(frame: Buffer): Sums {
  return [frame.readUInt32BE(16), frame.readUInt32BE(20)]
}

export function writeSums(header: Buffer, [first, second]: Sums): void {
  header.writeUInt32BE(first, header.length - 8)
  header.writeUInt32BE(second, header.length - 4)
}

/** In SQLite, this word is zero except in the last frame of a transaction. */
export function isCommit(frame: Buffer): boolean {
  return frame.readUInt32BE(4) !== 0
}

function add(sums: Sums, bytes: Buffer, little: boolean): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let [first, second] = sums
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + view.getUint32(at, little) + second) >>> 0
    second = (second + view.getUint32(at + 4, little) + first) >>> 0
  }
  sums[0] = first
  sums[1] = second
}
