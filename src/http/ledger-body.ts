import { PlainError } from '../errors/canton.ts'

/** As a participant's `max-inbound-message-size`. */
export const maxLedgerBytes = 10 * 1024 * 1024

/** The text of a body. @throws PlainError `bodyTooLarge` */
export async function readText(request: Request): Promise<string> {
  const tooLarge = () => new PlainError('bodyTooLarge', { limit: maxLedgerBytes })
  if (Number(request.headers.get('content-length') ?? 0) > maxLedgerBytes) throw tooLarge()
  if (request.body === null) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.length
    if (length > maxLedgerBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
