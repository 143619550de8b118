import type { ServerResponse } from 'node:http'
import { CallerLeft } from '../lib/body-bytes.ts'

export type Parts = AsyncIterable<string>

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
