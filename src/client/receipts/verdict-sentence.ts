import { joinedWithAnd } from '../../lib/joined-with-and.ts'
import { nameIn } from './name-question.ts'
import { printable } from './refusals.ts'
import type { ReceiptQuestion } from './saved-receipt.ts'
import { isoTime } from './terms-check.ts'
import type { ReceiptStatement } from './verify-one.ts'

/**
 * Says in one sentence what these daemons state, and who would have to lie if the statements were
 * false. The caller passes at most one daemon of each owner.
 */
export function sentenceOf(statements: readonly ReceiptStatement[], question: ReceiptQuestion): string {
  const [first] = statements
  const claimOf = (statement: ReceiptStatement) => claim(statement, question)
  if (statements.length === 1 && first !== undefined) return `${claimOf(first)}; ${liesOfOne(first)}.`
  const all = statements.length === 2 ? 'both daemons' : `all ${count(statements.length)} daemons`
  return `${statements.map(claimOf).join('; ')}; this is false only if ${all} lie, or if all the super validators that an honest one of them names lie together.`
}

export function differenceBetween(answers: readonly (readonly ReceiptStatement[])[]): string {
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

const words = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]

function count(number: number): string {
  return words[number] ?? String(number)
}
