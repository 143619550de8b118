import type { IncomingMessage } from 'node:http'
import { PlainError } from '../errors/canton.ts'
import { bytesOf } from '../lib/body-bytes.ts'

/** Fits formats for a thousand parties, each with its own filter. A participant accepts ten times as much. */
export const maxLedgerBytes = 1024 * 1024

/**
 * Reads a body as text.
 * @throws PlainError `bodyTooLarge`
 */
export async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await bytesOf(request, maxLedgerBytes)
  if (bytes === undefined) throw new PlainError('bodyTooLarge', { limit: maxLedgerBytes })
  return bytes.toString()
}
