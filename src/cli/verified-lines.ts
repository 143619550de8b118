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
    ...(question.body === undefined ? [] : [['body', plain(question.body)]]),
    ['status', String(first.status)],
    ['answer', plain(JSON.stringify(first.body))],
    ...statements.flatMap(detailsOf),
  ])
  if (others.length > 0) yield ''
  for (const other of others)
    yield other.kind === 'refused'
      ? `One of the ${files} receipts is refused: ${other.says}`
      : `${other.daemon} vouches for another answer, or its owner counts already.`
}

function detailsOf({ daemon, keyid, expires, terms }: ReceiptStatement): readonly (readonly string[])[] {
  return [
    ['daemon', plain(daemon)],
    ['key', keyid],
    ['threshold', `${terms.threshold} of ${terms.voters}`],
    ['roster', terms.roster],
    ['votes', terms.votes],
    ['expires', expires.toISOString()],
  ]
}

function plain(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
