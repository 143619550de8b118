import { parseJson } from '../base/lib/canonical-json.ts'
import { ageMs, type Clock, momentOf } from '../base/lib/clock.ts'
import type { Served } from '../core/cache/answers.ts'
import type { Read } from '../core/reads/read.ts'
import { readingOf } from '../core/reads/reading.ts'
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
