import type { Served } from '../cache/answers.ts'
import type { Electors } from '../cache/provenance.ts'
import type { Moment } from '../lib/clock.ts'
import type { ReceiptRequest } from '../receipt-format/receipt-components.ts'
import type { ReceiptDocuments } from './documents.ts'
import type { KeyRing } from './key-ring.ts'
import type { SigningDispatch } from './signing-dispatch.ts'
import type { VoteRecord } from './vote-document.ts'

export interface ReceiptWish {
  /** The label of the signature. */
  readonly label: string
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
  readonly operatorName: VoteRecord['operatorName']
}
