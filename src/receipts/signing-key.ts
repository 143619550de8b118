import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { canonicalJson } from '../base/lib/canonical-json.ts'
import { digest } from '../base/lib/digest.ts'

export interface PublicSigningKey {
  /** The RFC 7638 thumbprint. */
  readonly keyid: string
  /** The 32 bytes of the key, base64url. */
  readonly x: string
}

export interface SigningKey extends PublicSigningKey {
  readonly privateKey: KeyObject
}

export function newSigningKey(): SigningKey {
  return signingKeyOf(generateKeyPairSync('ed25519').privateKey)
}

export function trySigningKey(pem: string): SigningKey | undefined {
  try {
    const privateKey = createPrivateKey({ key: pem, format: 'pem', type: 'pkcs8' })
    return privateKey.asymmetricKeyType === 'ed25519' ? signingKeyOf(privateKey) : undefined
  } catch {
    return undefined
  }
}

export function pemOf({ privateKey }: SigningKey): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' })
}

export function publicPemOf({ privateKey }: SigningKey): string {
  return createPublicKey(privateKey).export({ format: 'pem', type: 'spki' })
}

/** A key of a rotation. `nbf` is the time at which it begins to sign, in seconds since 1970. */
export interface RotatedKey extends PublicSigningKey {
  readonly nbf: number
}

/** Signs, with the present key, that `next` is the daemon's next key. Returns base64url. */
export function crossSign({ privateKey }: SigningKey, next: RotatedKey): string {
  return sign(null, Buffer.from(crossSignedText(next)), privateKey).toString('base64url')
}

export function crossSignedText({ keyid, x, nbf }: RotatedKey): string {
  return canonicalJson({ v: 1, kind: 'next-key', keyid, x, nbf })
}

function signingKeyOf(privateKey: KeyObject): SigningKey {
  const x = createPublicKey(privateKey).export({ format: 'jwk' }).x as string
  return { keyid: thumbprint(x), x, privateKey }
}

export function thumbprint(x: string): string {
  return digest(canonicalJson({ crv: 'Ed25519', kty: 'OKP', x }))
}
