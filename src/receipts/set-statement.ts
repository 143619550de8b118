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

/**
 * The signed statement about a whole set of names. `params` and `signature` follow the label in the
 * headers `signature-input` and `signature`; `documents` are named by digest in `field`.
 */
export interface SetStatement {
  readonly field: string
  readonly params: string
  readonly signature: string
  readonly documents: readonly ReceiptDocument[]
}

export interface StatedSet {
  readonly set: ProvableSet
  readonly tree: NameTree
  readonly electors: Electors
  readonly current: CurrentKey
}

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
  // A signature must not be dated before its key began to sign, even if the snapshot is older than
  // the key.
  const created = Math.max(at, Math.min(nbf, Math.floor(wall / 1000)))
  const expires = Math.floor(endOfSet(set) / 1000)
  const params = `${componentList(covered)}${signatureParameters({ created, expires, keyid: key.keyid }, setTag)}`
  const signature = sign(null, Buffer.from(signatureBase(covered, params)), key.privateKey)
  return { field, params, signature: printBytes(signature), documents: [roster, votes] }
}
