import { printable } from './refusals.ts'
import type { ProvenName } from './set-check.ts'
import { isoTime } from './terms-check.ts'
import type { ReceiptStatement } from './verify-one.ts'

/** Says what statements of different owners prove together, in one sentence. */
export function sentenceOf(statements: readonly ReceiptStatement[]): string {
  const [first] = statements
  if (statements.length === 1 && first !== undefined) return `${told(first)}; ${liesOfOne(first)}.`
  const all = statements.length === 2 ? 'both daemons' : `all ${count(statements.length)} daemons`
  return `${statements.map(told).join('; ')}; for this to be false ${all} would have to lie, or all the super validators that an honest one of them names.`
}

function told({ daemon, terms, proven }: ReceiptStatement): string {
  const { agreed, at, asOf, set } = terms
  const names = agreed.map(printable).join(', ')
  const unprotected = terms.protected ? '' : ', with a threshold that does not protect against one that lies'
  const says = `daemon ${printable(daemon)} says that ${names}`
  if (proven !== undefined && set !== undefined)
    return `${says} gave it the same ${set.names} names as of ${isoTime(at)}, ${place(proven)}${unprotected}`
  const mirrored = asOf !== undefined ? `, as of ${isoTime(asOf)}` : ''
  return `${says} told it so at ${isoTime(at)}${mirrored}${unprotected}`
}

/** Returns the clause about a proven name. An absence is proven for the time of the set only. */
function place({ name, proves }: ProvenName): string {
  const which = printable(name)
  return proves === 'entry'
    ? `and that this is the entry of ${which} among them`
    : `and that ${which} was none of them then, which says nothing of later`
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
