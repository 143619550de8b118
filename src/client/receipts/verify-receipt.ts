import { systemClock } from '../../lib/clock.ts'
import { contentDigestOf } from './content-digest.ts'
import { type CheckedPin, checkedPins } from './pins.ts'
import { ReceiptRefusal, type RefusedReceipt } from './refusals.ts'
import { checkedQuestion, checkedReceipt, MalformedReceipt, type SavedReceipt } from './saved-receipt.ts'
import { type ReceiptVerdict, verdictOn } from './verdict.ts'
import { type ReceiptExpectations, type ReceiptStatement, verifyOne } from './verify-one.ts'
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
  const verdict = verdictOn(outcomes, k, expected.question)
  if (verdict.kind === 'verified')
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
  const { rosters, memory, engine } = options
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
    threshold,
    operators,
    rosters,
    memory,
    engine,
  }
}

async function outcomeOf(
  given: unknown,
  expected: ReceiptExpectations,
): Promise<ReceiptStatement | RefusedReceipt> {
  try {
    return await verifyOne(checkedReceipt(given), expected)
  } catch (error) {
    if (error instanceof MalformedReceipt)
      return new ReceiptRefusal('malformed', { why: error.message }).outcome
    throw error
  }
}
