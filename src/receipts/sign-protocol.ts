import type { KeyObject } from 'node:crypto'
import type { ReceiptJob, SignedReceipt } from './sign-receipt.ts'

/** The message to the signing thread: the receipts to make. */
export interface SignBatch {
  readonly jobs: readonly { readonly job: ReceiptJob; readonly key: KeyObject }[]
}

/**
 * The message that the thread sends back: the receipts in the order of `jobs`, with undefined for each job
 * whose body has no canonical JSON.
 */
export type SignedBatch = readonly (SignedReceipt | undefined)[]
