import { createHash } from 'node:crypto'
import { Point } from '@noble/ed25519'
import { keyidOf, type TestKey } from './receipt-signer.ts'

const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n

/**
 * Adds the order of the group to S. The result is a second signature of the text by the same key, which only lax
 * verifiers accept.
 */
export function malleated(signature: Buffer): Buffer {
  const s = littleEndian(signature.subarray(32)) + groupOrder
  return Buffer.concat([signature.subarray(0, 32), bytesOf(s)])
}

/** Returns a key whose public key is the neutral point of the curve. Anybody can sign with it. */
export function weakKey(key: TestKey): TestKey {
  const x = bytesOf(1n).toString('base64url')
  return { ...key, jwk: { ...key.jwk, x }, keyid: keyidOf(x) }
}

/**
 * Returns a signature for `weakKey` that is valid for every text. A verifier checks that sB = R + kA. The public key A
 * is the neutral point, so kA adds nothing and R = sB is enough.
 */
export function signatureOfWeakKey(): Buffer {
  const s = 12_345_678_901_234_567_890n
  return Buffer.concat([Point.BASE.multiply(s).toBytes(), bytesOf(s)])
}

/**
 * Returns a function that signs with a point R to which a point of order 8 is added. Only verifiers that multiply by
 * the cofactor accept its signatures.
 */
export function signatureOfMixedOrder({ seed, jwk }: TestKey): (base: Buffer) => Buffer {
  return (base) => {
    const expanded = sha512(seed)
    const head = expanded.subarray(0, 32)
    head[0] = (head[0] as number) & 248
    head[31] = ((head[31] as number) & 127) | 64
    const r = littleEndian(sha512(base)) % groupOrder
    const ofOrder8 = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')
    const point = Buffer.from(Point.BASE.multiply(r).add(ofOrder8).toBytes())
    const k = littleEndian(sha512(Buffer.concat([point, Buffer.from(jwk.x, 'base64url'), base]))) % groupOrder
    return Buffer.concat([point, bytesOf((r + k * littleEndian(head)) % groupOrder)])
  }
}

function sha512(bytes: Buffer): Buffer {
  return createHash('sha512').update(bytes).digest()
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse()
}
