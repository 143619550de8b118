import type { Json } from '../../lib/canonical-json.ts'
import { requireBody, requireValue, signedBody, valueDigest } from './body-check.ts'
import { ReceiptRefusal, type RefusedReceipt } from './refusals.ts'
import type { SavedReceipt } from './saved-receipt.ts'
import { type ProvenName, requireProof } from './set-check.ts'
import {
  type ExpectedSignature,
  requireTagged,
  type VerifiedSignature,
  verifySignature,
} from './signature-check.ts'
import { headerOf, type SignatureForm } from './signature-forms.ts'
import { type ReceiptTerms, setTermsIn, termsIn } from './terms.ts'
import {
  type ExpectedTerms,
  requireAgreement,
  requireEntryNotExpired,
  requireNotReplayed,
  requireTimes,
} from './terms-check.ts'

/**
 * The statement of one daemon, after its signature and the verifier's requirements were checked.
 */
export interface ReceiptStatement {
  readonly kind: 'statement'
  /** The name of the daemon and its owner, as the verifier's pin of the key has them. */
  readonly daemon: string
  readonly owner: string
  readonly keyid: string
  readonly created: Date
  /** The time at which the signature or the proven entry expires, whichever comes first. */
  readonly expires: Date
  /** The HTTP status: 200 for a value, or the status of the agreed refusal. */
  readonly status: number
  /**
   * What a signed set of names proves about this name, at the time `terms.asOf` and not later.
   * Absent if the daemon signed the answer itself.
   */
  readonly proven?: ProvenName
  /**
   * The parsed body. A number that a double cannot hold is kept as raw JSON, as in the client's
   * answers.
   */
  readonly body: Json
  readonly terms: ReceiptTerms
}

export interface ReceiptExpectations extends ExpectedSignature, ExpectedTerms {
  readonly questionId: string
}

/**
 * Verifies one receipt, in the order of `docs/receipts.md`. Resolves with a refusal if a check
 * fails.
 */
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
  const form = requireTagged(receipt)
  return form.of === 'set'
    ? statementOfSet(receipt, form, expected)
    : statementOfAnswer(receipt, form, expected)
}

async function statementOfAnswer(
  receipt: SavedReceipt,
  form: SignatureForm,
  expected: ReceiptExpectations,
): Promise<ReceiptStatement> {
  await requireBody(receipt)
  const verified = await verifySignature(receipt, form, expected)
  const terms = termsIn({
    receipt: headerOf(receipt, 'x-bft-receipt'),
    quorum: headerOf(receipt, 'x-bft-quorum'),
    agreed: headerOf(receipt, 'x-bft-agreed'),
  })
  if (terms === undefined) throw new ReceiptRefusal('malformedTerms')
  const body = signedBody(receipt)
  await requireValue(body, terms.value)
  requireTerms(verified, terms, expected)
  return { ...statedBy(verified), status: receipt.response.status, body, terms }
}

async function statementOfSet(
  receipt: SavedReceipt,
  form: SignatureForm,
  expected: ReceiptExpectations,
): Promise<ReceiptStatement> {
  const verified = await verifySignature(receipt, form, expected)
  const stated = setTermsIn(headerOf(receipt, 'x-bft-set'))
  if (stated === undefined) throw new ReceiptRefusal('malformedTerms')
  const body = signedBody(receipt)
  const proven = await requireProof(receipt, expected.question, body, stated.set)
  const terms = { ...stated, value: await valueDigest(body) }
  requireTerms(verified, terms, expected)
  requireEntryNotExpired(proven, expected)
  const statement = statedBy(verified)
  const ends = Math.min(statement.expires.getTime(), (proven.ends ?? Number.POSITIVE_INFINITY) * 1000)
  return { ...statement, expires: new Date(ends), status: receipt.response.status, proven, body, terms }
}

function requireTerms(
  { signature }: VerifiedSignature,
  terms: ReceiptTerms,
  expected: ReceiptExpectations,
): void {
  requireTimes(signature, terms, expected)
  requireAgreement(terms, expected)
  requireNotReplayed(signature, terms, expected.questionId, expected)
}

function statedBy({ signature, pin }: VerifiedSignature) {
  return {
    kind: 'statement',
    daemon: pin.name,
    owner: pin.owner,
    keyid: pin.keyid,
    created: new Date(signature.created * 1000),
    expires: new Date(signature.expires * 1000),
  } as const
}
