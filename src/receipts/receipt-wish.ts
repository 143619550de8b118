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
 * The labels of the signatures that a response needs: one over the answer, and one over the set of
 * names that proves the answer. Undefined for a signature that is not wanted.
 */
export interface WantedLabels {
  readonly answer: string | undefined
  readonly set: string | undefined
}

export interface ReceiptWish {
  readonly labels: WantedLabels
  readonly question: VoteRecord['question']
  readonly request: ReceiptRequest
  readonly served: Served
  readonly representation: { readonly status: number; readonly body: string | Buffer; readonly etag: string }
  readonly quorum: string
  readonly agreed: string
  readonly at: Moment
  /** The answer must be true at this time or later, in milliseconds since 1970. */
  readonly notBefore: number | undefined
}

export interface ReceiptDeskDeps {
  readonly keys: KeyRing
  readonly signer: Pick<SigningDispatch, 'sign'>
  readonly documents: ReceiptDocuments
  /** The super validators that vote now; undefined until the daemon knows them. */
  readonly electors: () => Electors | undefined
  readonly set: () => ProvableSet | undefined
  readonly operatorName: VoteRecord['operatorName']
}
