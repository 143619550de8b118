import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { canonicalJson, isJsonObject, parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import { doubtOf, type Examination } from '../scan/examiner.ts'
import type { Entry, MirroredAnswer } from './model.ts'
import { sideLetter, sidesOf } from './views/comparison.ts'

export function mirroredAnswer(
  { answer, asOf }: Pick<Served, 'answer' | 'asOf'>,
  vote: Examination,
): MirroredAnswer | undefined {
  if (asOf === undefined) return undefined
  const side = doubtOf(vote) === undefined ? {} : { side: sideOf(answer, vote) }
  return { asOf, agreed: answer.agreement.agreed, compared: comparedWith(answer, vote.answer), ...side }
}

function sideOf(mirrored: Answer, { disagreement }: Examination): MirroredAnswer['side'] {
  const own = digestOf(mirrored)
  const sides = sidesOf(disagreement?.statements ?? [])
  const place = sides.findIndex((statement) => statement.digest === own)
  const side = sides[place]
  return side === undefined ? 'neither' : { letter: sideLetter(place), who: side.who }
}

/**
 * Computes the digest that a statement in the evidence (`Case.statements`) has if it says the same
 * as this answer.
 */
function digestOf({ kind, status, body }: Answer): string {
  const value = parseJson(body)
  if (kind === 'value' || !isJsonObject(value)) return digest(canonicalJson(value))
  return digest(canonicalJson({ status, error: value['error'] ?? null }))
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
