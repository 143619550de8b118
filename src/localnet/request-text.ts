import type { IncomingMessage } from 'node:http'

/** The body as text; undefined where it is longer than `maxBytes` or its sender leaves. */
export function readText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const parts: Buffer[] = []
  let length = 0
  request.on('data', (part: Buffer) => {
    length += part.length
    if (length <= maxBytes) parts.push(part)
    else resolve(undefined)
  })
  request.on('end', () => resolve(Buffer.concat(parts).toString()))
  request.on('close', () => resolve(undefined))
  return promise
}
