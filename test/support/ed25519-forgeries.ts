import { createHash } from 'node:crypto'
import { Point } from '@noble/ed25519'
import { keyidOf, type TestKey } from './receipt-signer.ts'

const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n

/**
 * Returns the same signature in a second form, which lax verifiers accept: the order of the group is added to
 * its S.
 */
export function malleated(signature: Buffer): Buffer {
  const s = littleEndian(signature.subarray(32)) + groupOrder
  return Buffer.concat([signature.subarray(0, 32), bytesOf(s)])
}

/** Returns a key that is the neutral point. Anybody can sign by it, without any secret. */
export function weakKey(key: TestKey): TestKey {
  const x = bytesOf(1n).toString('base64url')
  return { ...key, jwk: { ...key.jwk, x }, keyid: keyidOf(x) }
}

/** Returns a signature by `weakKey` that fits every text: R = sB, because k times the neutral point adds nothing. */
export function signatureOfWeakKey(): Buffer {
  const s = 12_345_678_901_234_567_890n
  return Buffer.concat([Point.BASE.multiply(s).toBytes(), bytesOf(s)])
}

/**
 * Returns a function that signs with an R that has a part of small order. Verifiers that multiply by the cofactor
 * accept the signature, others do not.
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
