import type { KeyObject } from 'node:crypto'
import type { ReceiptJob, SignedReceipt } from './sign-receipt.ts'

/** The message to the signing thread: the receipts to make. */
export interface SignBatch {
  readonly jobs: readonly { readonly job: ReceiptJob; readonly key: KeyObject }[]
}

/** The reply: the receipts in the order of `jobs`, and undefined in place of each that could not be made. */
export type SignedBatch = readonly (SignedReceipt | undefined)[]
