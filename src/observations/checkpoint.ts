import { MerkleTree } from '../lib/merkle-tree.ts'
import type { PublicSigningKey } from '../receipts/signing-key.ts'
import { noteNameOf } from './note-signatures.ts'

export interface CheckpointOf {
  readonly key: Pick<PublicSigningKey, 'keyid'>
  readonly epoch: number
}

/**
 * Returns the text that a daemon signs about its observations of one epoch of ten minutes. Its
 * format is c2sp.org/tlog-checkpoint. The lines must be sorted and distinct, so that equal
 * observations give equal texts.
 */
export function checkpointText({ key, epoch }: CheckpointOf, lines: readonly string[]): string {
  const root = MerkleTree.of(lines).root.toString('base64')
  return `${noteNameOf(key)}/observations/${epoch}\n${lines.length}\n${root}\n`
}

/** Parses the first line of the signed text: `bft-scan-proxy/<key id>/observations/<epoch>`. */
export function originOf(text: string): { readonly keyid: string; readonly epoch: number } | undefined {
  const [, keyid, epoch] = /^bft-scan-proxy\/([\w-]{43})\/observations\/(\d{1,10})\n/.exec(text) ?? []
  return keyid === undefined ? undefined : { keyid, epoch: Number(epoch) }
}
