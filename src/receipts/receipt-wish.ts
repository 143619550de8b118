import type { Served } from '../cache/answers.ts'
import type { Electors } from '../cache/provenance.ts'
import type { Moment } from '../lib/clock.ts'
import type { ReceiptRequest } from '../receipt-format/receipt-components.ts'
import type { ReceiptDocuments } from './documents.ts'
import type { KeyRing } from './key-ring.ts'
import type { ProvableSet } from './provable-set.ts'
import type { SigningDispatch } from './signing-dispatch.ts'
import type { VoteRecord } from './vote-document.ts'

/**
 * The caller's labels for the signatures that it wants. A label is undefined if the caller does not want that
 * signature.
 */
export interface WantedLabels {
  /** The label for the signature of the answer. */
  readonly answer: string | undefined
  /** The label for the signature of the set of names that proves the answer. */
  readonly set: string | undefined
}

/** The data of one response for which a caller wants a receipt, or a proof from the signed set of names. */
export interface ReceiptWish {
  readonly labels: WantedLabels
  readonly question: VoteRecord['question']
  readonly request: ReceiptRequest
  readonly served: Served
  readonly representation: { readonly status: number; readonly body: string | Buffer; readonly etag: string }
  /** The values of the headers `x-bft-quorum` and `x-bft-agreed`. */
  readonly quorum: string
  readonly agreed: string
  readonly at: Moment
  /**
   * The answer must be true at this time or later, in milliseconds since 1970. Undefined if the caller
   * accepts an answer of any age.
   */
  readonly notBefore: number | undefined
}

export interface ReceiptDeskDeps {
  readonly keys: KeyRing
  readonly signer: Pick<SigningDispatch, 'sign'>
  readonly documents: ReceiptDocuments
  /** Returns the roster in force; undefined before the first one. */
  readonly electors: () => Electors | undefined
  /** Returns the set of names from which the mirror answers now; undefined if there is none. */
  readonly set: () => ProvableSet | undefined
  readonly operatorName: VoteRecord['operatorName']
}
