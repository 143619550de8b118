import { parseJsonText } from '../lib/parse-json-text.ts'
import type { Question } from '../reads/read.ts'
import type { Reader } from './reader.ts'

/**
 * Returns the JSON of the agreed answer; undefined for an agreed absence.
 * @throws SpliceError if the super validators do not agree, or cannot be asked
 */
export async function agreedValue(reader: Pick<Reader, 'answer'>, question: Question): Promise<unknown> {
  const { answer } = await reader.answer(question)
  return answer.kind === 'value' ? parseJsonText(answer.body.toString()) : undefined
}
