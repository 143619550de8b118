/**
 * Copies data into memory of exactly its size. A slice of a larger buffer, such as a socket's
 * chunk, would keep the whole buffer in memory.
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
