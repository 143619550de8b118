import type { Answer } from '../cache/answer.ts'
import { canonicalJson, parseJson } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'

/**
 * Two answers have the same mark if their bodies are equal JSON, or if both are absences, whatever
 * their error texts say.
 */
export function answerMark({ kind, body }: Pick<Answer, 'kind' | 'body'>): string {
  return kind === 'absence' ? 'none' : digest(canonicalJson(parseJson(body)))
}
