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
