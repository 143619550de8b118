import type { ServerResponse } from 'node:http'
import { CallerLeft } from '../lib/body-bytes.ts'

/** A piece of a body. */
export type Part = string | Uint8Array
export type Parts = AsyncIterable<Part>

/**
 * Writes parts as they come, as far as the connection's buffer has room, and ends the answer; cuts the connection where
 * one does not come.
 *
 * @throws CallerLeft, and what the parts throw.
 */
export async function sendParts(parts: Parts, outgoing: ServerResponse): Promise<void> {
  try {
    for await (const part of parts) {
      if (outgoing.destroyed) throw new CallerLeft()
      if (!outgoing.write(part)) await drained(outgoing)
    }
    outgoing.end()
  } catch (error) {
    outgoing.destroy()
    throw error
  }
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = () => reject(new CallerLeft())
    outgoing.once('close', left)
    outgoing.once('drain', () => {
      outgoing.off('close', left)
      resolve()
    })
  })
}
