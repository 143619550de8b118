import type { Json } from '../../lib/canonical-json.ts'
import { joinedWithAnd } from '../../lib/joined-with-and.ts'
import { nameIn } from './name-question.ts'
import { printable, ReceiptRefusal, type ReceiptRefusalReason, type RefusedReceipt } from './refusals.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'
import type { ReceiptTerms } from './terms.ts'
import { isoTime } from './terms-check.ts'

const words = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ')

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

type ReceiptOutcome = ReceiptStatement | RefusedReceipt

export function verdictOn(
  outcomes: readonly ReceiptOutcome[],
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

function answersOf(outcomes: readonly ReceiptOutcome[]): readonly (readonly ReceiptStatement[])[] {
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
  outcomes: readonly ReceiptOutcome[],
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
  outcomes: readonly ReceiptOutcome[],
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

/**
 * Says in one sentence what these daemons state, and who would have to lie if the statements were
 * false. The caller passes at most one daemon of each owner.
 */
function sentenceOf(statements: readonly ReceiptStatement[], question: ReceiptQuestion): string {
  const [first] = statements
  const claimOf = (statement: ReceiptStatement) => claim(statement, question)
  if (statements.length === 1 && first !== undefined) return `${claimOf(first)}; ${liesOfOne(first)}.`
  const all = statements.length === 2 ? 'both daemons' : `all ${count(statements.length)} daemons`
  return `${statements.map(claimOf).join('; ')}; this is false only if ${all} lie, or if all the super validators that an honest one of them names lie together.`
}

function differenceBetween(answers: readonly (readonly ReceiptStatement[])[]): string {
  const groups = answers.map((group) => joinedWithAnd(group.map(({ daemon }) => printable(daemon))))
  const [first = '', ...rest] = groups
  return answers.every(({ length }) => length === 1)
    ? `${joinedWithAnd(groups)} answer differently`
    : `${first} answer differently from ${rest.join(', and from ')}`
}

function claim({ daemon, status, terms }: ReceiptStatement, question: ReceiptQuestion): string {
  const { agreed, at, asOf } = terms
  const names = agreed.map(printable).join(', ')
  const unprotected = terms.protected ? '' : ', with a threshold that does not protect against one that lies'
  const mirrored = asOf !== undefined ? `, as of ${isoTime(asOf)}` : ''
  return `daemon ${printable(daemon)} says that ${names} told it ${answerOf(status, question)} at ${isoTime(at)}${mirrored}${unprotected}`
}

/** For a value the result is only "so", because programs show the value beside the sentence. */
function answerOf(status: number, question: ReceiptQuestion): string {
  if (status === 200) return 'so'
  if (status !== 404) return `that it is refused (${status})`
  const name = nameIn(question)
  return name === undefined ? 'that there is none (404)' : `that there is no name ${printable(name)} (404)`
}

function liesOfOne({ terms: { agreed } }: ReceiptStatement): string {
  const these =
    agreed.length === 1 ? `${printable(agreed[0] ?? '')} lies` : `these ${count(agreed.length)} lie together`
  return `this is false only if the daemon lies, or if ${these}`
}

function count(number: number): string {
  return words[number] ?? String(number)
}
