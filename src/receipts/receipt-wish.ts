import type { Served } from '../cache/answers.ts'
import type { Electors } from '../cache/provenance.ts'
import type { Moment } from '../lib/clock.ts'
import type { ReceiptRequest } from '../receipt-format/receipt-components.ts'
import type { ReceiptDocuments } from './documents.ts'
import type { KeyRing } from './key-ring.ts'
import type { ProvableSet } from './provable-set.ts'
import type { ReceiptSigner } from './receipt-signer.ts'
import type { VoteRecord } from './vote-document.ts'

/** The caller's names for the signatures that it wants. Undefined for one that it does not want. */
export interface WantedLabels {
  /** For the signature of the answer. */
  readonly answer: string | undefined
  /** For the signature of the set of names that proves the answer. */
  readonly set: string | undefined
}

/** One response that is to have a receipt. */
export interface ReceiptWish {
  readonly labels: WantedLabels
  readonly question: VoteRecord['question']
  readonly request: ReceiptRequest
  readonly served: Served
  readonly form: { readonly status: number; readonly body: string | Buffer; readonly etag: string }
  /** The values of `x-bft-quorum` and `x-bft-agreed`. */
  readonly quorum: string
  readonly agreed: string
  readonly at: Moment
  /** The caller wants no data older than this: milliseconds since 1970. Undefined if it takes any. */
  readonly notBefore: number | undefined
}

export interface ReceiptDeskDeps {
  readonly keys: KeyRing
  readonly signer: Pick<ReceiptSigner, 'sign'>
  readonly documents: ReceiptDocuments
  /** The super validators that may vote now. */
  readonly electors: () => Electors | undefined
  /** The set of names that is served now. */
  readonly set: () => ProvableSet | undefined
  readonly operatorName: VoteRecord['operatorName']
}
