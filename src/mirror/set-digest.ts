import { createHash } from 'node:crypto'
import { codePointKey } from '../reads/code-points.ts'

/** What the mirror uses of a contract. The digest of a set is computed from the texts of its rows. */
export interface SnapshotRow {
  readonly contractId: string
  readonly text: string
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
