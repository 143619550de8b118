import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { laxityOf } from '../receipt-format/strict-ed25519.ts'
import type { PublicSigningKey, SigningKey } from '../receipts/signing-key.ts'
import type { NoteSignature, SignedNote } from './signed-note.ts'

/** These numbers are the types of signatures in c2sp.org/signed-note. */
const ed25519 = 0x01
const timestampedCosignature = 0x04

export function noteNameOf({ keyid }: Pick<PublicSigningKey, 'keyid'>): string {
  return `bft-scan-proxy/${keyid}`
}

export function signNote(text: string, key: SigningKey): NoteSignature {
  return {
    name: noteNameOf(key),
    keyId: keyIdOf(key, ed25519),
    signature: sign(null, Buffer.from(text), key.privateKey),
  }
}

/** Only the first signature with the key's name and id is checked. */
export function isSignedBy({ text, signatures }: SignedNote, key: PublicSigningKey): boolean {
  const own = signatures.find((each) => isOf(each, key, ed25519))
  return own !== undefined && isValid(key, own.signature, text)
}

/**
 * Cosigns another daemon's note (c2sp.org/tlog-cosignature). A cosignature states that the owner of
 * `key` saw this note by this time, and saw no other note with the same first line.
 * @param seconds the time in seconds since 1970
 */
export function cosignNote(text: string, key: SigningKey, seconds: number): NoteSignature {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(seconds))
  const signature = sign(null, Buffer.from(cosignedText(text, BigInt(seconds))), key.privateKey)
  return {
    name: noteNameOf(key),
    keyId: keyIdOf(key, timestampedCosignature),
    signature: Buffer.concat([time, signature]),
  }
}

/** Returns the first cosignature by this key; undefined if that one is not valid. */
export function cosignatureBy(
  { text, signatures }: SignedNote,
  key: PublicSigningKey,
): NoteSignature | undefined {
  const own = signatures.find((each) => isOf(each, key, timestampedCosignature))
  if (own === undefined || own.signature.length !== 8 + 64) return undefined
  const bytes = Buffer.from(own.signature)
  return isValid(key, bytes.subarray(8), cosignedText(text, bytes.readBigUInt64BE())) ? own : undefined
}

function cosignedText(text: string, seconds: bigint): string {
  return `cosignature/v1\ntime ${seconds}\n${text}`
}

function keyIdOf(key: PublicSigningKey, type: number): Buffer {
  return createHash('sha256')
    .update(`${noteNameOf(key)}\n`)
    .update(Buffer.of(type))
    .update(Buffer.from(key.x, 'base64url'))
    .digest()
    .subarray(0, 4)
}

function isOf({ name, keyId }: NoteSignature, key: PublicSigningKey, type: number): boolean {
  return name === noteNameOf(key) && keyIdOf(key, type).equals(keyId)
}

function isValid({ x }: PublicSigningKey, signature: Uint8Array, text: string): boolean {
  if (laxityOf(Buffer.from(x, 'base64url'), signature) !== undefined) return false
  const key = publicKeyOf(x)
  return key !== undefined && verify(null, Buffer.from(text), key, signature)
}

function publicKeyOf(x: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  } catch {
    return undefined
  }
}
