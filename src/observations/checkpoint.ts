import { MerkleTree } from '../lib/merkle-tree.ts'
import type { PublicSigningKey } from '../receipts/signing-key.ts'
import { noteNameOf } from './note-signatures.ts'

/** The daemon's key, and the epoch whose observations a checkpoint commits to. */
export interface CheckpointOf {
  readonly key: Pick<PublicSigningKey, 'keyid'>
  readonly epoch: number
}

/**
 * Returns the text that a note signs for an epoch: its origin, the number of lines and the Merkle root over them
 * (c2sp.org/tlog-checkpoint). The lines must be sorted and distinct, so that equal observations have equal texts.
 */
export function checkpointText({ key, epoch }: CheckpointOf, lines: readonly string[]): string {
  const root = MerkleTree.of(lines).root.toString('base64')
  return `${noteNameOf(key)}/observations/${epoch}\n${lines.length}\n${root}\n`
}

/**
 * Returns the key id and the epoch that a checkpoint's text names. Undefined if it does not begin with such an origin.
 */
export function originOf(text: string): { readonly keyid: string; readonly epoch: number } | undefined {
  const [, keyid, epoch] = /^bft-scan-proxy\/([\w-]{43})\/observations\/(\d{1,10})\n/.exec(text) ?? []
  return keyid === undefined ? undefined : { keyid, epoch: Number(epoch) }
}
