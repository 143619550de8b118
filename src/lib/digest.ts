import { hash } from 'node:crypto'

/** SHA-256 in base64url without padding: 43 characters. */
export function digest(data: Uint8Array | string): string {
  return hash('sha256', data, 'base64url')
}
