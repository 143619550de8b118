import { ClientError } from '../client-error.ts'

/**
 * The most bytes of a response body. For comparison: a daemon accepts at most 64 KiB from a scan for a lookup.
 */
const most = 2 ** 20

/**
 * Reads a whole body.
 * @throws ClientError if the body is longer than 1 MiB.
 */
export async function boundedBody(response: Pick<Response, 'body'>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body?.getReader()
  for (;;) {
    const chunk = await reader?.read()
    if (chunk?.value === undefined) return joined(chunks, length)
    length += chunk.value.length
    if (length > most) {
      await reader?.cancel()
      throw new ClientError('misunderstood', `the answer has more than ${most} bytes`)
    }
    chunks.push(chunk.value)
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
