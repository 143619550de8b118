import type { ServerResponse } from 'node:http'

/** Bytes of a body; they are right until the next part is asked for. */
export type Part = string | Uint8Array
export type Parts = AsyncIterable<Part>

/** The caller has left. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft'
}

/**
 * Writes parts as they come, each when the connection has taken the one before, and ends the answer; cuts the connection
 * where one does not come.
 *
 * @throws CallerLeft, and what the parts throw.
 */
export async function sendParts(parts: Parts, outgoing: ServerResponse): Promise<void> {
  try {
    for await (const part of parts) {
      if (outgoing.destroyed) throw new CallerLeft()
      await taken(part, outgoing)
    }
    outgoing.end()
  } catch (error) {
    outgoing.destroy()
    throw error
  }
}

/** Resolves when the memory of a part can be used for something else; a string can be at once. */
function taken(part: Part, outgoing: ServerResponse): Promise<void> | undefined {
  if (typeof part === 'string' && outgoing.write(part)) return undefined
  return new Promise((resolve, reject) => {
    const left = () => reject(new CallerLeft())
    const done = () => {
      outgoing.off('close', left)
      resolve()
    }
    outgoing.once('close', left)
    if (typeof part === 'string') outgoing.once('drain', done)
    else outgoing.write(part, (error) => (error ? left() : done()))
  })
}
