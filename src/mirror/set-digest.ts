import { createHash } from 'node:crypto'
import { canonicalJson } from '../lib/canonical-json.ts'
import { codePointKey, compareCodePoints } from '../reads/code-points.ts'
import { canonicalInstant } from '../reads/instant.ts'
import type { SnapshotContract } from '../reads/snapshots.ts'

/** A contract of a snapshot, in the form from which the digest of a set of contracts is computed. */
export interface SnapshotRow {
  readonly contractId: string
  /** The canonical JSON of the contract. */
  readonly text: string
}

/**
 * Returns the row of a contract. Equal contracts from different scans get equal rows, although scans may send
 * signatories and observers in any order, and times with trailing zeros.
 */
export function rowOf(contract: SnapshotContract): SnapshotRow {
  const text = canonicalJson({
    ...contract,
    created_at: canonicalInstant(contract.created_at) ?? contract.created_at,
    signatories: contract.signatories.toSorted(compareCodePoints),
    observers: contract.observers.toSorted(compareCodePoints),
  })
  return { contractId: contract.contract_id, text }
}

/** Returns the rows sorted by contract id, in the order of code points. The ids must differ. */
export function byContractId<Row extends SnapshotRow>(rows: Iterable<Row>): readonly Row[] {
  return Array.from(rows, (row) => ({ row, key: codePointKey(row.contractId) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row)
}

/** The SHA-256 of the canonical JSON of a list of contracts, built row by row. */
export class SetDigest {
  readonly #hash = createHash('sha256').update('[')
  #isEmpty = true

  /** Adds the next row. The caller must add rows in the order of contract ids (`byContractId`). */
  add({ text }: SnapshotRow): void {
    this.#hash.update(this.#isEmpty ? text : `,${text}`)
    this.#isEmpty = false
  }

  /** Returns the digest in base64url. Nothing can be added afterwards. */
  end(): string {
    return this.#hash.update(']').digest('base64url')
  }
}

/** Returns the digest of a whole set of contracts, whatever their order. */
export function digestOfSet(contracts: Iterable<SnapshotContract>): string {
  const digest = new SetDigest()
  for (const row of byContractId([...contracts].map(rowOf))) digest.add(row)
  return digest.end()
}
