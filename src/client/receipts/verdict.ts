import { ReceiptRefusal, type ReceiptRefusalReason, type RefusedReceipt } from './refusals.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'
import { differenceBetween, sentenceOf } from './sentence.ts'
import type { ReceiptStatement } from './verify-one.ts'

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

/** Too few owners vouch for one answer. */
export interface RefusedVerdict extends RefusedReceipt {
  readonly reason: ReceiptRefusalReason
  /** The statement or the refusal of each receipt, in the order in which they were given. */
  readonly others: readonly (ReceiptStatement | RefusedReceipt)[]
}

/** The outcome of a verification. `says` has the reason in words. */
export type ReceiptVerdict = VerifiedReceipt | RefusedVerdict

type Outcome = ReceiptStatement | RefusedReceipt

/** Decides what receipts for one question prove together. */
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

/** Groups the statements by answer, the largest group first. An owner counts once for each answer. */
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

/** A single refusal says more than that keys are missing, and each of several ones has its own reason. */
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
