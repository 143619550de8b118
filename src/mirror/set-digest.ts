import { createHash } from 'node:crypto'
import { canonicalJson } from '../lib/canonical-json.ts'
import { codePointKey, compareCodePoints } from '../reads/code-points.ts'
import { canonicalInstant } from '../reads/instant.ts'
import type { SnapshotContract } from '../reads/snapshots.ts'

/**
 * A contract of a snapshot. The digest of a set of contracts is computed from `text`, the canonical
 * JSON of the contract.
 */
export interface SnapshotRow {
  readonly contractId: string
  readonly text: string
}

/**
 * Equal contracts from different scans get equal rows, although scans differ in the order of
 * signatories and in trailing zeros of times.
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

/** Sorts rows by contract id in the order of code points. The ids must differ. */
export function byContractId<Row extends SnapshotRow>(rows: Iterable<Row>): readonly Row[] {
  return Array.from(rows, (row) => ({ row, key: codePointKey(row.contractId) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row)
}

export class SetDigest {
  readonly #hash = createHash('sha256').update('[')
  #isEmpty = true

  /**
   * The caller must add rows in the order of contract ids (`byContractId`), so that equal sets get
   * equal digests.
   */
  add({ text }: SnapshotRow): void {
    this.#hash.update(this.#isEmpty ? text : `,${text}`)
    this.#isEmpty = false
  }

  end(): string {
    return this.#hash.update(']').digest('base64url')
  }
}

export function digestOfSet(contracts: Iterable<SnapshotContract>): string {
  const digest = new SetDigest()
  for (const row of byContractId([...contracts].map(rowOf))) digest.add(row)
  return digest.end()
}
