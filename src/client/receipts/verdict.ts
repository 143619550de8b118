import { ReceiptRefusal, type ReceiptRefusalReason, type RefusedReceipt } from './refusals.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'
import { differenceBetween, sentenceOf } from './verdict-sentence.ts'
import type { ReceiptStatement } from './verify-one.ts'

/** The verdict if enough daemons of different owners vouch for one answer. */
export interface VerifiedReceipt {
  readonly kind: 'verified'
  /**
   * One sentence: the daemons that vouch for the answer, and who would have to lie if it were
   * false.
   */
  readonly says: string
  /** The question that the verifier asked: `VerifyOptions.question`. */
  readonly question: ReceiptQuestion
  /** The signed statements for this answer, one for each owner of daemons. */
  readonly statements: readonly [ReceiptStatement, ...ReceiptStatement[]]
  /**
   * The receipts that do not count: refused ones, further ones of the same owner, and those for
   * another answer.
   */
  readonly others: readonly (ReceiptStatement | RefusedReceipt)[]
}

/** The verdict if the receipts prove nothing. */
export interface RefusedVerdict extends RefusedReceipt {
  readonly reason: ReceiptRefusalReason
  /**
   * The result of each receipt, in the order given. Empty if this runtime has no WebCrypto, or if
   * there are too many receipts.
   */
  readonly others: readonly (ReceiptStatement | RefusedReceipt)[]
}

/** The outcome of a verification. `says` explains it in words. */
export type ReceiptVerdict = VerifiedReceipt | RefusedVerdict

type Outcome = ReceiptStatement | RefusedReceipt

export function verdictOn(
  outcomes: readonly Outcome[],
  k: number,
  question: ReceiptQuestion,
): ReceiptVerdict {
  const answers = answersOf(outcomes)
  const enough = answers.filter(({ length }) => length >= k)
  if (enough.length > 1) return differing(outcomes, answers)
  const [first, ...rest] = enough[0] ?? []
  if (first === undefined) return tooFew(outcomes, answers, k)
  const statements = [first, ...rest] as const
  const others = outcomes.filter((outcome) => !statements.some((counted) => counted === outcome))
  return { kind: 'verified', says: sentenceOf(statements, question), question, statements, others }
}

function answersOf(outcomes: readonly Outcome[]): readonly (readonly ReceiptStatement[])[] {
  const answers = new Map<string, ReceiptStatement[]>()
  for (const outcome of outcomes) {
    if (outcome.kind === 'refused') continue
    const answer = `${outcome.status} ${outcome.terms.value}`
    const equal = answers.get(answer) ?? []
    answers.set(answer, equal)
    if (!equal.some(({ owner }) => owner === outcome.owner)) equal.push(outcome)
  }
  return [...answers.values()].sort((a, b) => b.length - a.length)
}

function differing(
  outcomes: readonly Outcome[],
  answers: readonly (readonly ReceiptStatement[])[],
): RefusedVerdict {
  const { outcome } = new ReceiptRefusal('valuesDiffer', { who: differenceBetween(answers) })
  return { ...outcome, others: outcomes }
}

/**
 * If every receipt was refused, the verdict has the first refusal's reason, which tells more than
 * `tooFewKeys`.
 */
function tooFew(
  outcomes: readonly Outcome[],
  answers: readonly (readonly ReceiptStatement[])[],
  wanted: number,
): RefusedVerdict {
  const [first] = outcomes
  if (outcomes.length === 1 && first?.kind === 'refused') return { ...first, others: outcomes }
  const refusals = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'refused' ? [`Receipt ${index + 1} of ${outcomes.length}: ${outcome.says}`] : [],
  )
  if (first?.kind === 'refused' && answers.length === 0)
    return { ...first, says: refusals.join(' '), others: outcomes }
  const owners = answers[0]?.length ?? 0
  const { outcome } = new ReceiptRefusal('tooFewKeys', { owners, wanted })
  const difference = answers.length > 1 ? [`Note that ${differenceBetween(answers)}.`] : []
  return { ...outcome, says: [outcome.says, ...difference, ...refusals].join(' '), others: outcomes }
}
