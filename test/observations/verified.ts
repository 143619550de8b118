import { createHash, createPublicKey, verify } from 'node:crypto'

// These checks share no code with the daemon. They follow RFC 9162 and the description of signed notes on c2sp.org.

export interface StrangersNote {
  readonly origin: string
  readonly size: number
  readonly root: string
  readonly text: string
  /** `id` is the id of the key, in hex. `signature` has the bytes after the id. */
  readonly lines: readonly { readonly name: string; readonly id: string; readonly signature: Buffer }[]
}

export interface SignedObservation {
  readonly observation: string
  readonly index: number
  readonly proof: readonly string[]
  readonly note: string
  readonly key: { readonly x: string }
}

export function readNote(note: string): StrangersNote {
  const [, text = '', rest = ''] = /^(.*\n)\n((?:\u2014 .*\n)+)$/s.exec(note) ?? []
  const [origin = '', size, root = ''] = text.split('\n')
  const lines = rest
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, name = '', encoded = ''] = line.split(' ')
      const bytes = Buffer.from(encoded, 'base64')
      return { name, id: bytes.subarray(0, 4).toString('hex'), signature: bytes.subarray(4) }
    })
  return { origin, size: Number(size), root, text, lines }
}

export function isValid(text: string, signature: Buffer, x: string): boolean {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(text), key, signature)
}

/** Computes the id of a key as c2sp.org/signed-note says. The type is 1 for a signature, and 4 for a cosignature. */
export function keyIdOf(name: string, type: 1 | 4, x: string): string {
  const hash = createHash('sha256').update(`${name}\n`).update(Buffer.of(type))
  return hash.update(Buffer.from(x, 'base64url')).digest('hex').slice(0, 8)
}

export function isSigned(note: string, x: string): boolean {
  const { text, lines } = readNote(note)
  return lines.some(({ name, id, signature }) => id === keyIdOf(name, 1, x) && isValid(text, signature, x))
}

export function isCosigned(note: string, x: string): boolean {
  const { text, lines } = readNote(note)
  return lines.some(({ name, id, signature }) => {
    if (id !== keyIdOf(name, 4, x)) return false
    const header = `cosignature/v1\ntime ${signature.readBigUInt64BE()}\n`
    return isValid(header + text, signature.subarray(8), x)
  })
}

export function provesObservation({ observation, index, proof, note, key }: SignedObservation): boolean {
  const { size, root } = readNote(note)
  const hashes = proof.map((hash) => Buffer.from(hash, 'base64'))
  return rootFrom(observation, { index, size }, hashes) === root && isSigned(note, key.x)
}

/**
 * Computes the root of a tree from a leaf and its proof (RFC 9162, 2.1.3.2). Undefined if the index is outside of the
 * tree, or if the proof has the wrong length.
 */
export function rootFrom(
  leaf: string,
  { index, size }: { readonly index: number; readonly size: number },
  proof: readonly Buffer[],
): string | undefined {
  if (index >= size) return undefined
  let [fn, sn] = [index, size - 1]
  let hash = sha256(Buffer.of(0), Buffer.from(leaf))
  for (const step of proof) {
    if (sn === 0) return undefined
    if (fn % 2 === 1 || fn === sn) {
      hash = sha256(Buffer.of(1), step, hash)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1]
    } else hash = sha256(Buffer.of(1), hash, step)
    ;[fn, sn] = [fn >> 1, sn >> 1]
  }
  return sn === 0 ? hash.toString('base64') : undefined
}

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
