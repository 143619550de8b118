/**
 * A copy in memory of exactly its own size. What is kept for long must not be a piece of something larger: a socket's
 * chunk or Node's pool of small buffers would be kept with it.
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
