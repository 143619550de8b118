import { hash } from 'node:crypto'

/** SHA-256 in base64url without padding: 43 characters. */
export function digest(data: Uint8Array | string): string {
  return hash('sha256', data, 'base64url')
}

/** SHA-256 of the text's UTF-8 bytes, in base64 with padding. */
export function sha256Base64(text: string): string {
  return hash('sha256', text, 'base64')
}

/** SHA-256 of the text's UTF-8 bytes, in lower-case hex: 64 characters. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}
