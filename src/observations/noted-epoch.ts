import { MerkleTree } from '../lib/merkle-tree.ts'
import type { PublicSigningKey } from '../receipts/signing-key.ts'
import type { SvObservation } from './observation.ts'
import { printNote, type SignedNote } from './signed-note.ts'

/** One daemon's observations in one epoch (ten minutes), and the note in which it signs them. */
export interface NotedEpoch {
  readonly epoch: number
  readonly key: PublicSigningKey
  /** A peer's cosignature replaces this note with a copy that has one signature more. */
  note: SignedNote
  readonly observations: readonly SvObservation[]
  readonly lines: readonly string[]
}

export function jwkOf({ x }: Pick<PublicSigningKey, 'x'>) {
  return { kty: 'OKP', crv: 'Ed25519', x } as const
}

/**
 * Returns one observation as JSON with its proof: the hashes from its line to the Merkle root in
 * the signed note.
 */
export function signedObservation({ key, note, lines }: NotedEpoch, index: number): string {
  return JSON.stringify({
    v: 1,
    kind: 'signed-observation',
    observation: lines[index],
    index,
    proof: MerkleTree.of(lines)
      .pathOf(index)
      .map((hash) => Buffer.from(hash).toString('base64')),
    note: printNote(note),
    key: jwkOf(key),
  })
}

export function signedNote({ key, note }: Pick<NotedEpoch, 'key' | 'note'>): string {
  return JSON.stringify({ v: 1, kind: 'signed-note', note: printNote(note), key: jwkOf(key) })
}
