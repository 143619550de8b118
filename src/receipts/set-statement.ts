import { sign } from 'node:crypto'
import type { Electors } from '../cache/provenance.ts'
import { printBytes } from '../lib/structured-fields.ts'
import { setComponents, setTag } from '../receipt-format/set-components.ts'
import { componentList, signatureBase, signatureParameters } from '../receipt-format/signature-base.ts'
import type { ReceiptDocument } from './documents.ts'
import type { CurrentKey } from './key-ring.ts'
import type { NameTree } from './name-tree.ts'
import type { ProvableSet } from './provable-set.ts'
import { endOfSet } from './receipt-lifetime.ts'
import type { ReceiptDeskDeps } from './receipt-wish.ts'
import { rosterDocument } from './roster-document.ts'
import { setField } from './set-field.ts'
import { voteDocument } from './vote-document.ts'

/** The signed statement about a whole set of names, and the documents to which it refers by their digests. */
export interface SetStatement {
  /** The value of `x-bft-set`. */
  readonly field: string
  /** The text that follows the label in `signature-input`. */
  readonly params: string
  /** The text that follows the label in `signature`. */
  readonly signature: string
  readonly documents: readonly ReceiptDocument[]
}

export interface StatedSet {
  readonly set: ProvableSet
  readonly tree: NameTree
  readonly electors: Electors
  readonly current: CurrentKey
}

/**
 * Signs the statement that a quorum agreed on the names of this set.
 * @param wall the present time: milliseconds since 1970.
 */
export function signSet(
  { set, tree, electors, current: { key, nbf } }: StatedSet,
  { operatorName }: Pick<ReceiptDeskDeps, 'operatorName'>,
  wall: number,
): SetStatement {
  const { migrationId, agreement } = set
  const roster = rosterDocument(electors)
  const votes = voteDocument({
    basis: 'mirror',
    question: {
      read: 'getAcsSnapshotAtV1',
      params: { record_time: new Date(set.at).toISOString(), migration_id: String(migrationId) },
    },
    agreedAtMs: set.at,
    agreement,
    electors,
    provenance: undefined,
    operatorName,
  })
  const at = Math.floor(set.at / 1000)
  const { size: names, root } = tree
  const digests = { roster: roster.digest, trust: electors.trustDigest, votes: votes.digest }
  const field = setField({ at, migrationId, names, root, ...digests, agreement })
  const covered = setComponents(field)
  // If the key is younger than the snapshot, the signature is dated at the time at which the key began to
  // sign.
  const created = Math.max(at, Math.min(nbf, Math.floor(wall / 1000)))
  const expires = Math.floor(endOfSet(set) / 1000)
  const params = `${componentList(covered)}${signatureParameters({ created, expires, keyid: key.keyid }, setTag)}`
  const signature = sign(null, Buffer.from(signatureBase(covered, params)), key.privateKey)
  return { field, params, signature: printBytes(signature), documents: [roster, votes] }
}
