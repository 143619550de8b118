import type { Json } from '../../lib/canonical-json.ts'
import { requireBody, requireValue, signedBody } from './body-check.ts'
import { ReceiptRefusal, type RefusedReceipt } from './refusals.ts'
import type { SavedReceipt } from './saved-receipt.ts'
import { type ExpectedSignature, requireTagged, verifySignature } from './signature-check.ts'
import { type ReceiptTerms, termsIn } from './terms.ts'
import { type ExpectedTerms, requireAgreement, requireNotReplayed, requireTimes } from './terms-check.ts'

/** The statement of one daemon. Its signature verified, and it is what the caller wanted. */
export interface ReceiptStatement {
  readonly kind: 'statement'
  /** The name and the owner of the pinned key. */
  readonly daemon: string
  readonly owner: string
  readonly keyid: string
  readonly created: Date
  readonly expires: Date
  /** 200 for a value, otherwise that of a refusal that a quorum agrees on. */
  readonly status: number
  /** The parsed body. Numbers that a double cannot hold are raw JSON, as in answers of the client. */
  readonly body: Json
  readonly terms: ReceiptTerms
}

/** What a receipt is held against. */
export interface ReceiptExpectations extends ExpectedSignature, ExpectedTerms {
  /** The question as a memory knows it. */
  readonly questionId: string
}

/** Verifies one receipt, in the order of `docs/receipts.md`. */
export async function verifyOne(
  receipt: SavedReceipt,
  expected: ReceiptExpectations,
): Promise<ReceiptStatement | RefusedReceipt> {
  try {
    return await statementOf(receipt, expected)
  } catch (error) {
    if (error instanceof ReceiptRefusal) return error.outcome
    throw error
  }
}

async function statementOf(receipt: SavedReceipt, expected: ReceiptExpectations): Promise<ReceiptStatement> {
  const { status, headers } = receipt.response
  requireTagged(receipt)
  await requireBody(receipt)
  const { signature, pin } = await verifySignature(receipt, expected)
  const terms = termsIn({
    receipt: headers['x-bft-receipt'] ?? '',
    quorum: headers['x-bft-quorum'] ?? '',
    agreed: headers['x-bft-agreed'] ?? '',
  })
  if (terms === undefined) throw new ReceiptRefusal('malformedTerms')
  const body = signedBody(receipt)
  await requireValue(body, terms.value)
  requireTimes(signature, terms, expected)
  requireAgreement(terms, expected)
  requireNotReplayed(signature, terms, expected.questionId, expected)
  return {
    kind: 'statement',
    daemon: pin.name,
    owner: pin.owner,
    keyid: pin.keyid,
    created: new Date(signature.created * 1000),
    expires: new Date(signature.expires * 1000),
    status,
    body,
    terms,
  }
}
