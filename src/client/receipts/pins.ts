import { tryBase64Url } from '../../base/lib/base64.ts'
import { kindOf, nounOf } from '../../base/lib/option-rules.ts'
import { textDigest } from './content-digest.ts'

/**
 * An ed25519 public key as a JWK (RFC 8037). Other fields, such as `kid` and `nbf`, are ignored.
 */
export interface ReceiptJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
}

/** The key directory of a daemon, as parsed from JSON. Keys that are not ed25519 are ignored. */
export interface ReceiptKeyDirectory {
  readonly keys: readonly unknown[]
}

/**
 * The key of a daemon that a verifier trusts. Get it from the daemon's owner, not from the person
 * who shows a receipt.
 */
export interface ReceiptPin {
  /** The name of the daemon in the sentences that explain a verdict. */
  readonly name: string
  /** The owner of the daemon; `name` by default. Several keys of one owner count as one. */
  readonly owner?: string | undefined
  /**
   * The public key, the daemon's key directory, or the id of a key (its RFC 7638 thumbprint). With
   * only an id, a receipt must contain the key itself.
   */
  readonly key: ReceiptJwk | ReceiptKeyDirectory | string
}

export interface CheckedPin {
  readonly name: string
  readonly owner: string
  readonly keyid: string
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

/** The error for a wrong pin, such as one with a malformed key. The message is a sentence. */
export class BadPin extends Error {
  override readonly name = 'BadPin'
  readonly code = 'badPin'
}

export async function checkedPins(pins: readonly ReceiptPin[]): Promise<readonly CheckedPin[]> {
  return (await Promise.all(Array.from(pins, checkedPin))).flat()
}

async function checkedPin(pin: ReceiptPin, index: number): Promise<readonly CheckedPin[]> {
  if (kindOf(pin) !== 'Object')
    throw new BadPin(
      `A pin must be an object such as { name: 'acme', key }; pin ${index + 1} is ${nounOf(pin)}.`,
    )
  const { name, owner = name, key } = pin
  const unknown = Object.keys(pin).find((member) => !['name', 'owner', 'key'].includes(member))
  if (unknown !== undefined) throw new BadPin(`A pin has no ${unknown}; it has name, owner and key.`)
  if (typeof name !== 'string' || name === '' || typeof owner !== 'string')
    throw new BadPin(`Pin ${index + 1} needs a name, which says whose key it is; name and owner are texts.`)
  if (typeof key === 'string') {
    if (tryBase64Url(key)?.length === 32) return [{ name, owner, keyid: key, bytes: undefined }]
    throw new BadPin(
      `The key of ${name} is no key id: an id has 43 characters of base64url; parse a JWK or a key directory.`,
    )
  }
  const found = keysIn(key)
  if (found.length === 0)
    throw new BadPin(
      `The key of ${name} is no public JWK of Ed25519, and no key directory with one; a receipt is neither.`,
    )
  return Promise.all(
    found.map(async (jwk) => ({ name, owner, keyid: await thumbprintOf(jwk), bytes: keyBytes(jwk) })),
  )
}

/**
 * Finds the ed25519 keys in a JWK or a JWK set. Returns none for a receipt: its keys do not show
 * whose they are, so nobody should pin them.
 */
export function keysIn(value: unknown): readonly ReceiptJwk[] {
  const { keys, response } = (value ?? {}) as Partial<ReceiptKeyDirectory> & { readonly response?: unknown }
  const jwks = (Array.isArray(keys) && !response ? keys : [value]) as readonly ReceiptJwk[]
  return jwks.filter(keyBytes).map(({ kty, crv, x }) => ({ kty, crv, x }))
}

/** Computes the id of a key: its RFC 7638 thumbprint, SHA-256 in base64url. */
export async function thumbprintOf({ x }: Pick<ReceiptJwk, 'x'>): Promise<string> {
  return textDigest(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
}

function keyBytes(jwk: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined
  const { kty, crv, x } = jwk as Partial<ReceiptJwk>
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return undefined
  const bytes = tryBase64Url(x)
  return bytes?.length === 32 ? bytes : undefined
}

/**
 * Returns the bytes of a pinned key. If the pin has only the id, finds the key in the receipt.
 */
export async function bytesOf(
  { keyid, bytes }: CheckedPin,
  keysInReceipt: readonly ReceiptJwk[] = [],
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (bytes !== undefined) return bytes
  for (const jwk of keysInReceipt.slice(0, mostKeysInReceipt)) {
    const candidate = keyBytes(jwk)
    if (candidate !== undefined && (await thumbprintOf(jwk)) === keyid) return candidate
  }
  return undefined
}

/** The verifier ignores further keys in a receipt, because each key costs a hash. */
const mostKeysInReceipt = 16
