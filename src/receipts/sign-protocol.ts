import type { KeyObject } from 'node:crypto'
import type { ReceiptJob, SignedReceipt } from './signed-receipt.ts'

/** A batch of receipts to make, in this order. */
export interface SignBatch {
  readonly jobs: readonly { readonly job: ReceiptJob; readonly key: KeyObject }[]
}

/** The receipts of a batch in its order. Undefined where one could not be made. */
export type SignedBatch = readonly (SignedReceipt | undefined)[]
