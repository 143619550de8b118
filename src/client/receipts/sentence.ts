import { printable } from './refusals.ts'
import { isoTime } from './terms-check.ts'
import type { ReceiptStatement } from './verify-one.ts'

/** Says what statements of different owners prove together, in one sentence. */
export function sentenceOf(statements: readonly ReceiptStatement[]): string {
  const [first] = statements
  if (statements.length === 1 && first !== undefined) return `${told(first)}; ${liesOfOne(first)}.`
  const all = statements.length === 2 ? 'both daemons' : `all ${count(statements.length)} daemons`
  return `${statements.map(told).join('; ')}; for this to be false ${all} would have to lie, or all the super validators that an honest one of them names.`
}

function told({ daemon, terms }: ReceiptStatement): string {
  const { agreed, at, asOf } = terms
  const mirrored = asOf !== undefined ? `, as of ${isoTime(asOf)}` : ''
  const unprotected = terms.protected ? '' : ', with a threshold that does not protect against one that lies'
  return `daemon ${printable(daemon)} says that ${agreed.map(printable).join(', ')} told it so at ${isoTime(at)}${mirrored}${unprotected}`
}

function liesOfOne({ terms: { agreed } }: ReceiptStatement): string {
  const these = agreed.length === 1 ? printable(agreed[0] ?? '') : `these ${count(agreed.length)} together`
  return `for this to be false it would have to lie, or ${these}`
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
