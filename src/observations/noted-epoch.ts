import { MerkleTree } from '../lib/merkle-tree.ts'
import type { PublicSigningKey } from '../receipts/signing-key.ts'
import type { SvObservation } from './observation.ts'
import { printNote, type SignedNote } from './signed-note.ts'

/** The observations of one daemon in one epoch, with its signed note. */
export interface NotedEpoch {
  readonly epoch: number
  readonly key: PublicSigningKey
  /** Changes when a peer cosigns it: then it has one more signature. */
  note: SignedNote
  readonly observations: readonly SvObservation[]
  /** The line of each observation, in order. */
  readonly lines: readonly string[]
}

export function jwkOf({ x }: Pick<PublicSigningKey, 'x'>) {
  return { kty: 'OKP', crv: 'Ed25519', x } as const
}

/**
 * Returns one observation with all that a stranger needs to check that the daemon signed it: the note, the key, and the
 * hashes that lead from the line to the root.
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

/** Returns a note with the key that signed it. */
export function signedNote({ key, note }: Pick<NotedEpoch, 'key' | 'note'>): string {
  return JSON.stringify({ v: 1, kind: 'signed-note', note: printNote(note), key: jwkOf(key) })
}
