import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { collectGarbage } from '../../base/lib/collect-garbage.ts'
import { type JudgeMessage, resultOf } from './judge-job.ts'

/**
 * After this many bytes of bodies, the thread collects its garbage. V8 alone would wait for 64 MiB outside its heap,
 * where bodies and their texts are.
 */
const collectAfterBytes = 16_777_216
let judgedBytes = 0
/** The niceness of this thread, from 0 to 19. */
const niceness = 10

if (parentPort === null) throw new Error('bodies are judged by a worker thread')
giveWay()
const port = parentPort
port.on('message', async ({ file, name, bodies, input }: JudgeMessage) => {
  const { [name]: work } = await import(file)
  const result = resultOf({ work, bodies, input })
  port.postMessage(
    result,
    bytesIn(result, 3).map(({ buffer }) => buffer as ArrayBuffer),
  )
  for (const bytes of bodies) {
    judgedBytes += bytes.length
    // The event of this message would keep the bytes until this function returns.
    ;(bytes.buffer as ArrayBuffer).transfer(0)
  }
  if (judgedBytes < collectAfterBytes) return
  judgedBytes = 0
  collectGarbage()
})

/**
 * Returns the byte arrays in the upper members of a result. They fill their buffers, and can thus be
 * transferred.
 */
function bytesIn(value: unknown, depth: number): Uint8Array[] {
  if (value instanceof Uint8Array) return [value]
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.values(value).flatMap((member) => bytesIn(member, depth - 1))
}

/**
 * Lets the main thread run first where both share a core, so that lookups do not wait while a
 * snapshot is read. Linux has a priority for each thread.
 */
function giveWay(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness)
  } catch {
    // Elsewhere the thread keeps the priority of the process.
  }
}
