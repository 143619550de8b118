import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import {
  addFrame,
  frameHeaderBytes,
  headerBytes,
  headerFor,
  headerOf,
  holds,
  type Sums,
  sumsIn,
  writeSums,
} from './wal-format.ts'

/**
 * Copies the frames of a write-ahead log that lost its header, and gives the copy a new header. The copy ends
 * before the first wrong frame. A frame is wrong if its salts differ from those of frame 0, or if its
 * checksum does not continue that of the previous frame. Frame 0 itself cannot be checked, because its
 * checksum continues that of the lost header. If frame 0 is wrong, a later check of the update ids reveals
 * the error.
 */
export function rewriteLog(from: string, to: string, pageBytes: number): void {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'wx')]
  try {
    const frameBytes = frameHeaderBytes + pageBytes
    const frame = (index: number) => readFrame(source, headerBytes + index * frameBytes, frameBytes)
    const first = frame(0)
    if (first === undefined) return
    const salts = Buffer.from(first.subarray(8, 16))
    const little = isLittle(first, frame(1))
    const header = headerFor({ little, pageBytes, salts })
    writeSync(target, header)
    const written: Sums = headerOf(header)?.sums ?? [0, 0]
    let before: Sums | undefined
    for (let index = 0; ; index++) {
      const next = frame(index)
      if (next === undefined || !next.subarray(8, 16).equals(salts)) return
      if (before !== undefined && !holds(next, before, little)) return
      before = sumsIn(next)
      addFrame(next, written, little)
      writeSums(next.subarray(0, frameHeaderBytes), written)
      writeSync(target, next)
    }
  } finally {
    closeSync(source)
    closeSync(target)
  }
}

/**
 * True if the checksums of the log are computed from little-endian words, as on nearly every machine. A log
 * with a single frame does not show the byte order, so little-endian words are assumed.
 */
function isLittle(first: Buffer, second: Buffer | undefined): boolean {
  return second === undefined || !holds(second, sumsIn(first), false)
}

/** Reads a frame. Undefined if the file ends before the end of the frame. */
function readFrame(handle: number, at: number, length: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(length)
  return readSync(handle, buffer, 0, length, at) === length ? buffer : undefined
}
