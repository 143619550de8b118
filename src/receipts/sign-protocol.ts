import type { KeyObject } from 'node:crypto'
import type { ReceiptJob, SignedReceipt } from './sign-receipt.ts'

export interface SignBatch {
  readonly jobs: readonly { readonly job: ReceiptJob; readonly key: KeyObject }[]
}

/** The receipts in the order of `jobs`; undefined for a job whose body has no canonical JSON. */
export type SignedBatch = readonly (SignedReceipt | undefined)[]
