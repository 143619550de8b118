import { canonicalJson, type Json, MisshapenJson, parseJson } from '../../base/lib/canonical-json.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { contentDigestOf, textDigest } from './content-digest.ts'
import { type CheckedPin, checkedPins } from './pins.ts'
import { ReceiptRefusal, type RefusedReceipt } from './refusals.ts'
import { checkedQuestion, checkedReceipt, MalformedReceipt, type SavedReceipt } from './saved-receipt.ts'
import { type ExpectedSignature, headerOf, verifySignature } from './signature-check.ts'
import { termsIn } from './terms.ts'
import { type ExpectedTerms, requireAgreement, requireNotReplayed, requireTimes } from './terms-check.ts'
import { type ReceiptStatement, type ReceiptVerdict, verdictOn } from './verdict.ts'
import { mostReceipts, requireVerifyOptions, type VerifyOptions } from './verify-options.ts'

/**
 * Verifies the receipts of one or several daemons for one question, without the network. A
 * malformed receipt counts as refused. Resolves with a refusal if there are more than 100 receipts.
 * @throws BadOptions for options that are unknown or wrong; BadPin for a wrong pin;
 * MalformedReceipt for a malformed question.
 */
export async function verifyReceipt(
  given: SavedReceipt | readonly SavedReceipt[],
  options: VerifyOptions,
): Promise<ReceiptVerdict> {
  if (globalThis.crypto?.subtle === undefined) return refused('noWebCrypto')
  requireVerifyOptions(options)
  const { k = 1, memory } = options
  const expected = await expectationsOf(options)
  const receipts: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (receipts.length > mostReceipts)
    return refused('tooManyReceipts', { most: mostReceipts, given: receipts.length })
  const outcomes = await Promise.all(Array.from(receipts, (one) => outcomeOf(one, expected)))
  const verdict = verdictOn(outcomes, { k, ...expected })
  if (verdict.kind === 'current')
    for (const { keyid, terms } of verdict.statements) {
      const { roster, at, asOf = at } = terms
      memory?.accept(keyid, { question: expected.questionId, asOf, roster })
    }
  return verdict
}

function refused(...why: ConstructorParameters<typeof ReceiptRefusal>): ReceiptVerdict {
  return { ...new ReceiptRefusal(...why).outcome, others: [] }
}

async function expectationsOf(options: VerifyOptions): Promise<ReceiptExpectations> {
  const { now, skewSeconds = 300, maxAgeSeconds = Number.MAX_VALUE, threshold = 1, operators = 0 } = options
  const { current = false, rosters, memory, engine } = options
  const time = now?.getTime() ?? systemClock.wall()
  const pins: readonly CheckedPin[] = await checkedPins(options.pins)
  const question = checkedQuestion(options.question)
  const { method, path, body } = question
  const digest = body === undefined ? '' : ` ${await contentDigestOf(body)}`
  return {
    pins,
    question,
    questionId: `${method} ${path}${digest}`,
    now: time / 1000,
    skew: skewSeconds,
    maxAge: maxAgeSeconds,
    current,
    threshold,
    operators,
    rosters,
    memory,
    engine,
  }
}

export interface ReceiptExpectations extends ExpectedSignature, ExpectedTerms {
  readonly questionId: string
}

async function outcomeOf(
  given: unknown,
  expected: ReceiptExpectations,
): Promise<ReceiptStatement | RefusedReceipt> {
  try {
    return await statementOf(checkedReceipt(given), expected)
  } catch (error) {
    if (error instanceof MalformedReceipt)
      return new ReceiptRefusal('malformed', { why: error.message }).outcome
    if (error instanceof ReceiptRefusal) return error.outcome
    throw error
  }
}

/**
 * Verifies one receipt, in the order of `docs/build/receipt-format.md`.
 * @throws ReceiptRefusal if a check fails.
 */
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
  if ((await textDigest(canonicalJson(body))) !== terms.value) throw new ReceiptRefusal('otherValue')
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
