import type { IncomingMessage } from 'node:http'
import { PlainError } from '../errors/canton.ts'
import { bytesOf } from '../lib/body-bytes.ts'

/** Formats for a thousand parties, each with a filter of its own, fit. A participant takes ten times as much. */
export const maxLedgerBytes = 1024 * 1024

/** The text of a body. @throws PlainError `bodyTooLarge` */
export async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await bytesOf(request, maxLedgerBytes)
  if (bytes === undefined) throw new PlainError('bodyTooLarge', { limit: maxLedgerBytes })
  return bytes.toString()
}
