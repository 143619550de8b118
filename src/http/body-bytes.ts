/** A body that says that it is so short is read at once: a stream costs as much as the rest of a small request. */
const shortBytes = 4_096

/**
 * The bytes of a body; undefined where there are more than `maxBytes`, and before any is read where the request says so.
 * They are copied as they come, because a body that arrives byte by byte would hold a buffer for each of them.
 */
export async function bytesOf(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const said = request.headers.get('content-length')
  if (Number(said ?? 0) > maxBytes) return undefined
  if (said !== null && Number(said) <= shortBytes) return new Uint8Array(await request.arrayBuffer())
  let gathered: Buffer = Buffer.alloc(0)
  let length = 0
  for await (const chunk of request.body ?? []) {
    const end = length + chunk.length
    if (end > maxBytes) return undefined
    if (end > gathered.length) gathered = longer(gathered, length, Math.max(end, Math.min(2 * end, maxBytes)))
    gathered.set(chunk, length)
    length = end
  }
  return gathered.subarray(0, length)
}

function longer(before: Buffer, used: number, size: number): Buffer {
  const made = Buffer.alloc(size)
  before.copy(made, 0, 0, used)
  return made
}
