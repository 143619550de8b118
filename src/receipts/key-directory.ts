import type { PublicSigningKey } from './signing-key.ts'

/** A key in the daemon's public directory of keys. Times are seconds since 1970. */
export interface ListedKey extends PublicSigningKey {
  /** The time from which on the key may sign. */
  readonly nbf: number
  /** The time after which no signature of the key is valid. */
  readonly exp: number
  /** The signature with which the previous key vouches for this key; undefined if there is none. */
  readonly crossSignature?: CrossSignature | undefined
}

export interface CrossSignature {
  readonly keyid: string
  /** The signature, in base64url. */
  readonly signature: string
}

export const directoryPath = '/.well-known/http-message-signatures-directory'
export const directoryType = 'application/http-message-signatures-directory+json'

/** Returns the content of the directory of keys: a JWK set. */
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
