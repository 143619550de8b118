import type { IncomingMessage } from 'node:http'
import { readBytes } from '../http/body.ts'

const longest = 16_384

/**
 * Returns the fields of a submitted form by name.
 * @throws SpliceError `bodyTooLarge`
 */
export async function formIn(request: IncomingMessage): Promise<Readonly<Record<string, string>>> {
  const body = await readBytes(request, longest)
  return Object.fromEntries(new URLSearchParams(body.toString()))
}
