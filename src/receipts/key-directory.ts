import type { RotatedKey } from './signing-key.ts'

/**
 * A key in the daemon's public directory of keys. `exp` is when its signatures become invalid, in
 * seconds since 1970.
 */
export interface ListedKey extends RotatedKey {
  readonly exp: number
  /** The previous key's signature of this key; undefined if there is none. */
  readonly crossSignature?: CrossSignature | undefined
}

export interface CrossSignature {
  readonly keyid: string
  readonly signature: string
}

export const directoryPath = '/.well-known/http-message-signatures-directory'
export const directoryType = 'application/http-message-signatures-directory+json'

export function keyDirectory(keys: readonly ListedKey[]): { readonly keys: readonly object[] } {
  return {
    keys: keys.map(({ keyid, x, nbf, exp, crossSignature }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      kid: keyid,
      x,
      use: 'sig',
      nbf,
      exp,
      ...(crossSignature !== undefined && { 'cross-signature': crossSignature }),
    })),
  }
}
