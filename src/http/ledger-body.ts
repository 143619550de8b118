import type { IncomingMessage } from 'node:http'
import { PlainError } from '../errors/canton.ts'
import { bytesOf, longestBody } from '../lib/body-bytes.ts'

export async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await bytesOf(request, longestBody)
  if (bytes === undefined) throw new PlainError('bodyTooLarge', { limit: longestBody })
  return bytes.toString()
}
