import { canonicalJson, type Json, MisshapenJson, parseJson } from '../../lib/canonical-json.ts'
import { contentDigestOf, textDigest } from './content-digest.ts'
import { ReceiptRefusal, type RefusedReceipt } from './refusals.ts'
import type { SavedReceipt } from './saved-receipt.ts'
import { type ExpectedSignature, headerOf, verifySignature } from './signature-check.ts'
import { type ReceiptTerms, termsIn } from './terms.ts'
import { type ExpectedTerms, requireAgreement, requireNotReplayed, requireTimes } from './terms-check.ts'

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
  readonly expires: Date
  /** The HTTP status: 200 for a value, or the status of the agreed refusal. */
  readonly status: number
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
  await requireBody(receipt)
  const { signature, pin } = await verifySignature(receipt, expected)
  const terms = termsIn({
    receipt: headerOf(receipt, 'x-bft-receipt'),
    quorum: headerOf(receipt, 'x-bft-quorum'),
    agreed: headerOf(receipt, 'x-bft-agreed'),
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
    status: receipt.response.status,
    body,
    terms,
  }
}

async function requireBody(receipt: SavedReceipt): Promise<void> {
  const { headers, body } = receipt.response
  const signed = headers['content-digest']?.trim() ?? ''
  if (!/^sha-256=:[A-Za-z\d+/]{43}=:$/.test(signed)) throw new ReceiptRefusal('noBodyDigest')
  if (signed === (await contentDigestOf(body))) return
  throw new ReceiptRefusal((await isReencoded(receipt)) ? 'reencoded' : 'bodyAltered')
}

/**
 * Whether the body is the signed JSON value, only written differently, such as with other spaces.
 * The signature is not verified yet, so the result may only choose the reason of the refusal.
 */
async function isReencoded({ response: { headers, body } }: SavedReceipt): Promise<boolean> {
  try {
    const value = parseJson(body.replace(/^\uFEFF/, ''))
    const digest = await contentDigestOf(canonicalJson(value))
    return headers['x-bft-receipt']?.includes(digest.replace('sha-256', 'value')) === true
  } catch (error) {
    if (error instanceof MisshapenJson) return false
    throw error
  }
}

function signedBody({ response: { body } }: SavedReceipt): Json {
  try {
    return parseJson(body)
  } catch (error) {
    if (error instanceof MisshapenJson)
      throw new ReceiptRefusal('malformed', { why: `its body: ${error.message}` })
    throw error
  }
}

async function requireValue(body: Json, value: string): Promise<void> {
  if ((await textDigest(canonicalJson(body))) !== value) throw new ReceiptRefusal('otherValue')
}
