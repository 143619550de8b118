import type { Served } from '../cache/answers.ts'
import { parseJson } from '../lib/canonical-json.ts'
import { ageMs, type Clock, momentOf } from '../lib/clock.ts'
import type { Read } from '../reads/read.ts'
import { readingOf } from '../reads/reading.ts'
import type { Answered } from './answered.ts'
import { mirroredAsOf } from './as-of-header.ts'

export function fromServed(
  read: Read,
  { answer, agreedAt, asOf }: Pick<Served, 'answer' | 'agreedAt' | 'asOf'>,
  clock: Clock,
): Answered<unknown> {
  const { agreement, digest, status } = answer
  const at = momentOf(clock)
  const provenance = {
    agreement,
    digest,
    agreedAt: new Date(at.wall - ageMs(agreedAt, at)),
    ...(asOf && { asOf: mirroredAsOf(asOf) }),
  }
  const body = parseJson(answer.body)
  if (answer.kind === 'value')
    return { kind: 'value', value: readingOf({ reply: read.reply }, body)?.value, ...provenance }
  const { error } = body as { readonly error: string }
  return { kind: 'absence', value: undefined, status, error, ...provenance }
}
