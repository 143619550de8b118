import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import {
  addFrame,
  addFrameAndCompare,
  frameHeaderBytes,
  headerBytes,
  headerFor,
  headerOf,
  type Sums,
  sumsIn,
  writeSums,
} from './wal-format.ts'

/**
 * Copies a write-ahead log that lost its header, up to the first wrong frame. Frame 0 cannot be
 * checked without that header; if frame 0 is wrong, a later check of the update ids fails.
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
      if (before !== undefined && !addFrameAndCompare(next, before, little)) return
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
 * A log with a single frame does not show its byte order. It is taken for little-endian, which
 * nearly every machine writes.
 */
function isLittle(first: Buffer, second: Buffer | undefined): boolean {
  return second === undefined || !addFrameAndCompare(second, sumsIn(first), false)
}

function readFrame(handle: number, at: number, length: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(length)
  return readSync(handle, buffer, 0, length, at) === length ? buffer : undefined
}
