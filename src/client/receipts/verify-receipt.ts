import { systemClock } from '../../lib/clock.ts'
import { contentDigestOf } from './content-digest.ts'
import type { Ed25519Engine } from './ed25519-engine.ts'
import type { ReceiptMemory } from './memory.ts'
import { type CheckedPin, checkedPin, type ReceiptPin } from './pins.ts'
import { ReceiptRefusal, type RefusedReceipt } from './refusals.ts'
import {
  checkedQuestion,
  checkedReceipt,
  MalformedReceipt,
  type ReceiptQuestion,
  type SavedReceipt,
} from './saved-receipt.ts'
import { sentenceOf } from './sentence.ts'
import { type ReceiptExpectations, type ReceiptStatement, verifyOne } from './verify-one.ts'

export interface VerifyOptions {
  /** The keys that the caller trusts to be of daemons. */
  readonly pins: readonly ReceiptPin[]
  /** The caller's own question. A receipt for another one is refused, whatever it says about itself. */
  readonly question: ReceiptQuestion
  /** How many owners must vouch for equal answers; 1 by default. */
  readonly k?: number
  /** The time; by default that of this machine. */
  readonly now?: Date
  /** How far the clocks of the daemon and of this machine may be apart; 300 by default. */
  readonly skewSeconds?: number
  /** How many seconds ago the answer may have been true; as long as the receipt is valid by default. */
  readonly maxAgeSeconds?: number
  /** The least threshold of super validators; 1 by default. The threshold of the receipt always has to be met. */
  readonly threshold?: number
  /** The least number of agreeing operators; 0 by default. */
  readonly operators?: number
  /** The digests of the accepted rosters. By default the first one of each key is accepted, and remembered in `memory`. */
  readonly rosters?: readonly string[]
  /** Remembers what was accepted, so that no older answer and no other roster follows. */
  readonly memory?: ReceiptMemory
  /** Verifies ed25519 in place of WebCrypto. */
  readonly engine?: Ed25519Engine
}

/** Enough owners vouch for one answer. */
export interface VerifiedReceipt {
  readonly kind: 'verified'
  /** One sentence: who says so, and who would have to lie. */
  readonly says: string
  /** The question that was answered: the caller's own. */
  readonly question: ReceiptQuestion
  /** The statements for the answer, one for each owner. */
  readonly statements: readonly [ReceiptStatement, ...ReceiptStatement[]]
  /** Receipts that do not count: refused ones, those of an owner that already counts, and those for another answer. */
  readonly others: readonly (ReceiptStatement | RefusedReceipt)[]
}

/** The outcome of a verification, with one sentence in `says`. */
export type ReceiptVerdict = VerifiedReceipt | RefusedReceipt

/**
 * Verifies a receipt, or receipts of several daemons for one question. It needs no network. It resolves for every receipt,
 * however malformed.
 * @throws BadPin and MalformedReceipt, by its promise, for pins and a question that are none; RangeError for wrong numbers.
 */
export async function verifyReceipt(
  given: SavedReceipt | readonly SavedReceipt[],
  options: VerifyOptions,
): Promise<ReceiptVerdict> {
  if (globalThis.crypto?.subtle === undefined) return new ReceiptRefusal('noWebCrypto').outcome
  const { k = 1, memory } = options
  const expected = await expectationsOf(options)
  const receipts: readonly unknown[] = Array.isArray(given) ? given : [given]
  const outcomes = await Promise.all(receipts.slice(0, mostReceipts).map((one) => outcomeOf(one, expected)))
  const verdict = verdictOf(outcomes, k, expected.question)
  if (verdict.kind === 'verified')
    for (const { keyid, terms, created } of verdict.statements)
      memory?.accept(keyid, {
        question: expected.questionId,
        created: created.getTime() / 1000,
        roster: terms.roster,
      })
  return verdict
}

const mostReceipts = 100

async function expectationsOf(options: VerifyOptions): Promise<ReceiptExpectations> {
  const {
    k = 1,
    now,
    skewSeconds = 300,
    maxAgeSeconds = Number.MAX_VALUE,
    threshold = 1,
    operators = 0,
  } = options
  const { rosters, memory, engine } = options
  const time = now?.getTime() ?? systemClock.wall()
  if (![k, threshold].every((number) => Number.isSafeInteger(number) && number >= 1))
    throw new RangeError('k and threshold must be whole numbers from 1.')
  if (
    ![skewSeconds, maxAgeSeconds, operators, time].every((number) => Number.isFinite(number) && number >= 0)
  )
    throw new RangeError('skewSeconds, maxAgeSeconds, operators and now must be numbers from 0.')
  const pins: readonly CheckedPin[] = await Promise.all(options.pins.map(checkedPin))
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

function verdictOf(
  outcomes: readonly (ReceiptStatement | RefusedReceipt)[],
  k: number,
  question: ReceiptQuestion,
): ReceiptVerdict {
  const answers = new Map<string, ReceiptStatement[]>()
  for (const outcome of outcomes) {
    if (outcome.kind === 'refused') continue
    const answer = `${outcome.status} ${outcome.terms.value}`
    const equal = answers.get(answer) ?? []
    answers.set(answer, equal)
    if (!equal.some(({ owner }) => owner === outcome.owner)) equal.push(outcome)
  }
  const enough = [...answers.values()].filter(({ length }) => length >= k)
  if (enough.length > 1) return new ReceiptRefusal('valuesDiffer').outcome
  const [first, ...rest] = enough[0] ?? []
  if (first === undefined) return tooFew(outcomes, [...answers.values()], k)
  const statements = [first, ...rest] as const
  const others = outcomes.filter((outcome) => !statements.some((counted) => counted === outcome))
  return { kind: 'verified', says: sentenceOf(statements), question, statements, others }
}

/** A single refusal says more than that keys are missing. */
function tooFew(
  outcomes: readonly (ReceiptStatement | RefusedReceipt)[],
  answers: readonly (readonly ReceiptStatement[])[],
  wanted: number,
): RefusedReceipt {
  const refusal = outcomes.find((outcome) => outcome.kind === 'refused')
  if (refusal !== undefined && (outcomes.length === 1 || answers.length === 0)) return refusal
  const owners = Math.max(0, ...answers.map(({ length }) => length))
  return new ReceiptRefusal('tooFewKeys', { owners, wanted }).outcome
}
