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
 * Copies a log that lost its header, and gives the copy a new header. It stops at the first frame whose checksum does
 * not continue that of the frame before. The first frame cannot be checked, because its checksum continues that of
 * the lost header; the ids of the updates later show whether that frame is right.
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
 * Whether checksums in the log use little-endian words, as on nearly every machine. True if the log has only one frame.
 */
function isLittle(first: Buffer, second: Buffer | undefined): boolean {
  return second === undefined || !holds(second, sumsIn(first), false)
}

/** Reads a frame; undefined if it is incomplete. */
function readFrame(handle: number, at: number, length: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(length)
  return readSync(handle, buffer, 0, length, at) === length ? buffer : undefined
}
