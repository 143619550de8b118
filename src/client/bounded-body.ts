import { ClientError } from './client-error.ts'

export async function boundedBody(
  response: Pick<Response, 'body' | 'status'>,
  { base, most }: { readonly base: string; readonly most: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = response.body?.getReader()
  for (;;) {
    const chunk = await reader?.read()
    if (chunk?.value === undefined) return new Uint8Array(await new Blob(chunks).arrayBuffer())
    length += chunk.value.length
    if (length > most) {
      await reader?.cancel()
      const { status } = response
      throw new ClientError('misunderstood', `the answer of ${base} has more than ${most} bytes`, { status })
    }
    chunks.push(chunk.value)
  }
}
