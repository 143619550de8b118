import type { ReceiptStatement, VerifiedReceipt } from '../client/receipts/receipts.ts'
import { columns } from './table.ts'

export function* verifiedLines(
  { says, question, statements, others }: VerifiedReceipt,
  files: number,
): Iterable<string> {
  const [first] = statements
  yield says
  yield ''
  yield* columns([
    ['question', `${question.method} ${question.path}`],
    ...(question.body === undefined ? [] : [['body', question.body]]),
    ['status', String(first.status)],
    ['answer', JSON.stringify(first.body)],
    ...statements.flatMap(detailsOf),
  ])
  if (others.length > 0) yield ''
  for (const other of others)
    yield other.kind === 'refused'
      ? `One of the ${files} receipts is refused: ${other.says}`
      : `${other.daemon} vouches for another answer or time, or its owner counts already.`
}

function detailsOf({ daemon, keyid, expires, terms }: ReceiptStatement): readonly (readonly string[])[] {
  return [
    ['daemon', daemon],
    ['key', keyid],
    ['threshold', `${terms.threshold} of ${terms.voters}`],
    ['roster', terms.roster],
    ['votes', terms.votes],
    ['expires', expires.toISOString()],
  ]
}
