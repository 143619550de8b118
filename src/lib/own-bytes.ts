/**
 * Copies data into memory of exactly its size. Data that lives long must not be a slice of a larger buffer, such as a
 * socket's chunk or Node's pool of small buffers. The slice would keep the whole buffer in memory.
 */
export function ownBytes(data: string | Uint8Array): Buffer {
  if (typeof data !== 'string') {
    const copy = Buffer.allocUnsafeSlow(data.length)
    copy.set(data)
    return copy
  }
  const encoded = Buffer.allocUnsafeSlow(Buffer.byteLength(data))
  encoded.write(data)
  return encoded
}
