import type { Served } from '../cache/answers.ts'
import { parseJson } from '../lib/canonical-json.ts'
import type { Clock } from '../lib/clock.ts'
import type { Read } from '../reads/read.ts'
import type { Answered } from './answered.ts'

/**
 * Converts a cached or fresh answer to what the client returns: the parsed value of the read, or the absence with its
 * status and text. Both say who agreed and when.
 */
export function fromServed(
  read: Read,
  { answer, agreedAt }: Pick<Served, 'answer' | 'agreedAt'>,
  clock: Clock,
): Answered<unknown> {
  const { agreement, digest, status } = answer
  const provenance = { agreement, digest, agreedAt: new Date(clock.wall() - (clock.now() - agreedAt)) }
  const body = parseJson(answer.body)
  if (answer.kind === 'value') return { kind: 'value', value: read.reply.parse(body), ...provenance }
  const { error } = body as { readonly error: string }
  return { kind: 'absence', value: undefined, status, error, ...provenance }
}
