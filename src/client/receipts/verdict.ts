import { isJsonObject, type Json } from '../../base/lib/canonical-json.ts'
import { joinedWithAnd } from '../../base/lib/joined-with-and.ts'
import { askedIn } from './name-question.ts'
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
  /**
   * `current` if the answer may still be taken for current. `provedThen` if a receipt has expired:
   * the answer was true then, and nothing is claimed about later times.
   */
  readonly kind: 'current' | 'provedThen'
  /** The fact, its time, the super validators that say so, and who would have to lie. */
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

export interface WantedVerdict {
  /** The number of owners that must vouch for one answer. */
  readonly k: number
  readonly question: ReceiptQuestion
  /** The present, in seconds since 1970. */
  readonly now: number
  /** How many seconds clocks may differ. */
  readonly skew: number
}

/**
 * Judges by the receipts that are current. If they are too few, judges by the latest past moment at
 * which enough were current together: each daemon vouches for its answer only while its receipt
 * lasts.
 */
export function verdictOn(outcomes: readonly ReceiptOutcome[], wanted: WantedVerdict): ReceiptVerdict {
  const { k, question, now, skew } = wanted
  const ends = outcomes.flatMap((outcome) =>
    outcome.kind === 'refused' ? [] : [secondsOf(outcome.expires) + skew],
  )
  const moments = [now, ...ends.filter((end) => end < now).sort((a, b) => b - a)]
  const tries = moments.map((time) => answersOf(outcomes, { time, skew }))
  const answers = tries.find(([most = []]) => most.length >= k)
  if (answers === undefined) return tooFew(outcomes, mostVouched(tries), k)
  const enough = answers.filter(({ length }) => length >= k)
  if (enough.length > 1) return differing(outcomes, answers)
  const statements = enough[0] as VerifiedReceipt['statements']
  const kind = answers === tries[0] ? 'current' : 'provedThen'
  const others = outcomes.filter((outcome) => !statements.some((counted) => counted === outcome))
  return { kind, says: sentenceOf(kind, statements, question), question, statements, others }
}

function secondsOf(date: Date): number {
  return date.getTime() / 1000
}

type AnswerGroups = readonly (readonly ReceiptStatement[])[]

function mostVouched(tries: readonly AnswerGroups[]): AnswerGroups {
  return [...tries].sort(([a = []], [b = []]) => b.length - a.length)[0] ?? []
}

/** Groups the receipts that are current at `time` by their answer, one of each owner. */
function answersOf(
  outcomes: readonly ReceiptOutcome[],
  { time, skew }: { readonly time: number; readonly skew: number },
): AnswerGroups {
  const answers = new Map<string, ReceiptStatement[]>()
  for (const outcome of outcomes) {
    if (outcome.kind === 'refused') continue
    if (secondsOf(outcome.created) > time + skew || secondsOf(outcome.expires) < time - skew) continue
    const answer = `${outcome.status} ${outcome.terms.value}`
    const equal = answers.get(answer) ?? []
    answers.set(answer, equal)
    if (!equal.some(({ owner }) => owner === outcome.owner)) equal.push(outcome)
  }
  return [...answers.values()].sort((a, b) => b.length - a.length)
}

function differing(outcomes: readonly ReceiptOutcome[], answers: AnswerGroups): RefusedVerdict {
  const { outcome } = new ReceiptRefusal('valuesDiffer', { who: differenceBetween(answers) })
  return { ...outcome, others: outcomes }
}

/**
 * If every receipt was refused, the verdict has the first refusal's reason, which tells more than
 * `tooFewKeys`.
 */
function tooFew(outcomes: readonly ReceiptOutcome[], answers: AnswerGroups, wanted: number): RefusedVerdict {
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
 * Says the fact, its time, who says so, and who would have to lie if it were false. The caller
 * passes at most one daemon of each owner.
 */
function sentenceOf(
  kind: VerifiedReceipt['kind'],
  statements: VerifiedReceipt['statements'],
  question: ReceiptQuestion,
): string {
  const [first] = statements
  const isCurrent = kind === 'current'
  const isOne = statements.length === 1
  const told = statements.map((one) => tellers(one, isCurrent ? 'as of' : 'at', isOne))
  const until = Math.min(...statements.map(({ expires }) => secondsOf(expires)))
  const later = isCurrent
    ? `current until ${isoTime(until)}`
    : `${isOne ? 'this receipt makes' : 'these receipts make'} no claim about later times`
  const liars = isOne
    ? liarsOf(first)
    : `${allDaemons(statements.length)} lie, or if all the super validators that an honest one of them names lie together`
  return `${factOf(first, question, isCurrent)} ${told.join(', and ')}; ${later}. This is false only if ${liars}.`
}

function tellers({ daemon, terms }: ReceiptStatement, when: string, isOne: boolean): string {
  const { agreed, at, asOf = at } = terms
  const say = agreed.length === 1 ? 'says' : 'say'
  const unprotected = terms.protected ? '' : ', with a threshold that does not protect against one that lies'
  const to = isOne ? '' : ` to daemon ${printable(daemon)}`
  return `${when} ${isoTime(asOf)}, ${say} ${joinedWithAnd(agreed.map(printable))}${to}${unprotected}`
}

function factOf({ status, body }: ReceiptStatement, question: ReceiptQuestion, isCurrent: boolean): string {
  const { name, party } = askedIn(question)
  const { name: named, user } = entryIn(body)
  const verb = (present: string, past: string) => (isCurrent ? present : past)
  if (status === 200 && typeof named === 'string' && typeof user === 'string')
    if (named === name || user === party)
      return `${printable(named)} ${verb('belongs', 'belonged')} to ${printable(user)}`
  if (status === 404 && name !== undefined) return `There ${verb('is', 'was')} no name ${printable(name)}`
  if (status === 404 && party !== undefined) return `${printable(party)} ${verb('has', 'had')} no name`
  const asked = printable(`${question.method} ${question.path}`)
  if (status === 200) return `${asked} ${verb('has', 'had')} the answer that was signed`
  if (status === 404) return `${asked} ${verb('finds', 'found')} nothing`
  return `${asked} ${verb('is', 'was')} refused (${status})`
}

function entryIn(body: Json): Readonly<Record<string, Json>> {
  const entry = isJsonObject(body) ? body['entry'] : undefined
  return isJsonObject(entry) ? entry : {}
}

function differenceBetween(answers: AnswerGroups): string {
  const groups = answers.map((group) => joinedWithAnd(group.map(({ daemon }) => printable(daemon))))
  const [first = '', ...rest] = groups
  return answers.every(({ length }) => length === 1)
    ? `${joinedWithAnd(groups)} answer differently`
    : `${first} answer differently from ${rest.join(', and from ')}`
}

function liarsOf({ daemon, terms: { agreed } }: ReceiptStatement): string {
  const these =
    agreed.length === 1 ? `${printable(agreed[0] ?? '')} lies` : `these ${count(agreed.length)} lie together`
  return `daemon ${printable(daemon)} lies, or if ${these}`
}

function allDaemons(number: number): string {
  return number === 2 ? 'both daemons' : `all ${count(number)} daemons`
}

function count(number: number): string {
  return words[number] ?? String(number)
}
