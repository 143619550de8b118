import type { Answer } from '../cache/answer.ts'
import { canonicalJson, parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'

/**
 * Returns a mark of an answer. Two answers have equal marks if their bodies are equal JSON, or if both are absences,
 * whatever their texts say.
 */
export function answerMark({ kind, body }: Pick<Answer, 'kind' | 'body'>): string {
  return kind === 'absence' ? 'none' : digest(canonicalJson(parseJson(body)))
}
