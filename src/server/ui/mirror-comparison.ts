import { parseJsonText } from '../../base/lib/parse-json-text.ts'
import type { Answer } from '../../core/cache/answer.ts'
import type { Served } from '../../core/cache/answers.ts'
import type { Examination } from '../../core/scan/examiner.ts'
import type { Entry, MirroredAnswer } from './model.ts'

export function mirroredAnswer(
  { answer, asOf }: Pick<Served, 'answer' | 'asOf'>,
  { answer: live }: Pick<Examination, 'answer'>,
): MirroredAnswer | undefined {
  if (asOf === undefined) return undefined
  return { answer, asOf, compared: comparedWith(answer, live) }
}

function comparedWith(mirrored: Answer, live: Answer | undefined): MirroredAnswer['compared'] {
  if (live?.kind !== mirrored.kind) return 'other'
  // Two absences are the same even if their error texts differ.
  if (live.kind === 'absence' || live.body.equals(mirrored.body)) return 'same'
  const [own, other] = [entryIn(mirrored), entryIn(live)]
  if (own === undefined || other === undefined) return 'other'
  const isBound = (['name', 'user', 'url', 'description'] as const).every((key) => own[key] === other[key])
  if (!isBound) return 'other'
  if (own.contract_id === other.contract_id && own.expires_at === other.expires_at) return 'same'
  return Date.parse(own.expires_at ?? '') < Date.parse(other.expires_at ?? '') ? 'renewed' : 'other'
}

function entryIn({ body }: Answer): Entry | undefined {
  return (parseJsonText(body.toString()) as { readonly entry?: Entry }).entry
}
