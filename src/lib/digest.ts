import { hash } from 'node:crypto'

/** Returns SHA-256 in base64url without padding: 43 characters. */
export function digest(data: Uint8Array | string): string {
  return hash('sha256', data, 'base64url')
}

export function sha256Base64(text: string): string {
  return hash('sha256', text, 'base64')
}

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}

const blockBytes = 64
const digestBytes = 32

/**
 * Returns a function that computes HMAC-SHA-256 (RFC 2104) of a text's UTF-16 (little-endian). Two
 * calls of `hash` cost much less than an `Hmac` object.
 * @throws RangeError if the secret has more than 64 bytes
 */
export function hmacWith(secret: Uint8Array): (text: string) => string {
  const inner = padded(secret, 0x36)
  const outer = Buffer.concat([padded(secret, 0x5c), Buffer.alloc(digestBytes)])
  return (text) => {
    const message = Buffer.allocUnsafe(blockBytes + 2 * text.length)
    message.set(inner)
    message.write(text, blockBytes, 'utf16le')
    outer.write(hash('sha256', message, 'latin1'), blockBytes, 'latin1')
    return hash('sha256', outer, 'base64url')
  }
}

function padded(secret: Uint8Array, pad: number): Uint8Array {
  if (secret.length > blockBytes) throw new RangeError('the secret is longer than a block')
  const block = new Uint8Array(blockBytes)
  block.set(secret)
  return block.map((byte) => byte ^ pad)
}
