import { MerkleTree } from '../lib/merkle-tree.ts'
import type { PublicSigningKey } from '../receipts/signing-key.ts'
import type { SvObservation } from './observation.ts'
import { printNote, type SignedNote } from './signed-note.ts'

/** The observations of one daemon in one epoch, with its signed note over them. */
export interface NotedEpoch {
  readonly epoch: number
  readonly key: PublicSigningKey
  /**
   * The signed note. When the daemon finds a peer's cosignature, it replaces the note with one that also has
   * that signature.
   */
  note: SignedNote
  readonly observations: readonly SvObservation[]
  /** The line of each observation (`lineOf`), in the order of `observations`. */
  readonly lines: readonly string[]
}

export function jwkOf({ x }: Pick<PublicSigningKey, 'x'>) {
  return { kty: 'OKP', crv: 'Ed25519', x } as const
}

/**
 * Returns one observation as JSON, with the proof that the daemon signed it. The proof is the note, the key,
 * and the hashes that lead from the observation's line to the Merkle root in the note.
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

/** Returns a note as JSON, with the public key that verifies its signature. */
export function signedNote({ key, note }: Pick<NotedEpoch, 'key' | 'note'>): string {
  return JSON.stringify({ v: 1, kind: 'signed-note', note: printNote(note), key: jwkOf(key) })
}
