import { base64UrlOf, tryBase64Url } from '../../lib/base64.ts'

/** A public key of ed25519 as a JWK (RFC 8037). Other members, such as `kid` and `nbf`, do not matter. */
export interface ReceiptJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
}

/** A key that a verifier trusts to be a daemon's. Get it from the daemon's owner, not from the one who shows a receipt. */
export interface ReceiptPin {
  /** The daemon's name in sentences. */
  readonly name: string
  /** Who runs the daemon. Keys of one owner count once. By default the name. */
  readonly owner?: string
  /** The public key, or its id: the RFC 7638 thumbprint. A receipt must bring the key itself if only the id is pinned. */
  readonly key: ReceiptJwk | string
}

/** A pin with its id and, if the pin has a whole key, its bytes. */
export interface CheckedPin {
  readonly name: string
  readonly owner: string
  readonly keyid: string
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

/** A pin is no key. The message is a sentence. */
export class BadPin extends Error {
  override readonly name = 'BadPin'
}

/**
 * Checks a pin and computes the id of its key.
 * @throws BadPin
 */
export async function checkedPin({ name, owner = name, key }: ReceiptPin): Promise<CheckedPin> {
  if (typeof key === 'string') {
    if (tryBase64Url(key)?.length === 32) return { name, owner, keyid: key, bytes: undefined }
    throw new BadPin(`The key of ${name} is no key id: an id has 43 characters of base64url.`)
  }
  const bytes = keyBytes(key)
  if (bytes === undefined) throw new BadPin(`The key of ${name} is no public JWK of Ed25519.`)
  return { name, owner, keyid: await thumbprintOf(key), bytes }
}

/** Computes the id of a key: its RFC 7638 thumbprint, SHA-256 in base64url. */
export async function thumbprintOf({ x }: Pick<ReceiptJwk, 'x'>): Promise<string> {
  const members = new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
  return base64UrlOf(new Uint8Array(await crypto.subtle.digest('SHA-256', members)))
}

/** Returns the 32 bytes of a key, or undefined if it is no public key of ed25519. */
function keyBytes(jwk: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined
  const { kty, crv, x } = jwk as Partial<ReceiptJwk>
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return undefined
  const bytes = tryBase64Url(x)
  return bytes?.length === 32 ? bytes : undefined
}

/** Finds the bytes of a pinned key: those of the pin, or of a key with the pinned id that a receipt brings. */
export async function bytesOf(
  { keyid, bytes }: CheckedPin,
  brought: readonly ReceiptJwk[] = [],
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (bytes !== undefined) return bytes
  for (const jwk of brought.slice(0, mostKeys)) {
    const candidate = keyBytes(jwk)
    if (candidate !== undefined && (await thumbprintOf(jwk)) === keyid) return candidate
  }
  return undefined
}

/** The most keys that a receipt may bring. */
const mostKeys = 16
