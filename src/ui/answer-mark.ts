import type { Answer } from '../cache/answer.ts'
import { canonicalJson, parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'

/**
 * Returns a string by which two answers are compared. It is equal for two answers if their bodies are equal
 * JSON, or if both are absences, whatever their error texts say.
 */
export function answerMark({ kind, body }: Pick<Answer, 'kind' | 'body'>): string {
  return kind === 'absence' ? 'none' : digest(canonicalJson(parseJson(body)))
}
