import { MerkleTree } from '../lib/merkle-tree.ts'
import type { PublicSigningKey } from '../receipts/signing-key.ts'
import { noteNameOf } from './note-signatures.ts'

/** The key with which a daemon signs a checkpoint, and the epoch whose observations the checkpoint covers. */
export interface CheckpointOf {
  readonly key: Pick<PublicSigningKey, 'keyid'>
  readonly epoch: number
}

/**
 * Returns the text that a daemon signs about its observations of an epoch: the origin, the number of lines
 * and the Merkle root over the lines (c2sp.org/tlog-checkpoint). The lines must be sorted and distinct, so
 * that equal observations give equal texts.
 * @param lines one line for each observation (`lineOf`).
 */
export function checkpointText({ key, epoch }: CheckpointOf, lines: readonly string[]): string {
  const root = MerkleTree.of(lines).root.toString('base64')
  return `${noteNameOf(key)}/observations/${epoch}\n${lines.length}\n${root}\n`
}

/**
 * Returns the key id and the epoch in the origin of a checkpoint, which is the first line of its text.
 * Undefined if that line does not match the pattern.
 */
export function originOf(text: string): { readonly keyid: string; readonly epoch: number } | undefined {
  const [, keyid, epoch] = /^bft-scan-proxy\/([\w-]{43})\/observations\/(\d{1,10})\n/.exec(text) ?? []
  return keyid === undefined ? undefined : { keyid, epoch: Number(epoch) }
}
