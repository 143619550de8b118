import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { CallerLeft } from '../../base/lib/body-bytes.ts'

export type AnswerParts = AsyncIterable<string>

/** @throws CallerLeft */
export async function sendParts(parts: AnswerParts, outgoing: ServerResponse): Promise<void> {
  try {
    await pipeline(parts, outgoing)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE' ? new CallerLeft() : error
  }
}
