import type { Served } from '../cache/answers.ts'
import type { Electors } from '../cache/provenance.ts'
import type { Moment } from '../lib/clock.ts'
import type { ReceiptRequest } from '../receipt-format/receipt-components.ts'
import type { ReceiptDocuments } from './documents.ts'
import type { KeyRing } from './key-ring.ts'
import type { ReceiptSigner } from './receipt-signer.ts'
import type { VoteRecord } from './vote-document.ts'

/** One response that is to have a receipt. */
export interface ReceiptWish {
  /** The caller's name for the signature. */
  readonly label: string
  readonly question: VoteRecord['question']
  readonly request: ReceiptRequest
  readonly served: Served
  readonly form: { readonly status: number; readonly body: string | Buffer; readonly etag: string }
  /** The values of `x-bft-quorum` and `x-bft-agreed`. */
  readonly quorum: string
  readonly agreed: string
  readonly at: Moment
}

export interface ReceiptDeskDeps {
  readonly keys: KeyRing
  readonly signer: Pick<ReceiptSigner, 'sign'>
  readonly documents: ReceiptDocuments
  /** The super validators that may vote now. */
  readonly electors: () => Electors | undefined
  readonly operatorName: VoteRecord['operatorName']
}
