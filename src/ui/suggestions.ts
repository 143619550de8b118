import { milliseconds } from '../lib/clock.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import { listAnsEntries } from '../reads/ans.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Examiner } from '../scan/examiner.ts'
import { isDoubtful } from '../scan/incidents.ts'
import { paramsOf } from './lookup.ts'
import type { Entry } from './model.ts'
import type { HistoryDeps } from './name-timeline.ts'

export interface SuggestionDeps {
  /**
   * The examiner asks super validators past the cache. It is undefined where a suggestion may cost
   * only a cached read.
   */
  readonly examiner: Pick<Examiner, 'examine'> | undefined
  readonly agreed: HistoryDeps['agreed']
  readonly isInDoubt: boolean
}

export type Suggestion = Pick<Entry, 'name' | 'user'>

const mostSuggested = 8

/**
 * Returns registered names that begin with this text. With an examiner, 2f+1 super validators must
 * agree on the names: if f+1 votes were enough, f+1 liars could suggest names that nobody has.
 * @throws SpliceError if the super validators cannot be asked. Without an examiner, also if no
 * quorum agrees.
 */
export async function suggestions(text: string, deps: SuggestionDeps): Promise<readonly Suggestion[]> {
  const given = { name_prefix: text, page_size: String(mostSuggested) }
  const question = { read: listAnsEntries, params: paramsOf(listAnsEntries, given) }
  if (deps.examiner === undefined) return deps.isInDoubt ? [] : suggested(await deps.agreed(question))
  const { answer } = await deps.examiner.examine(question, { everyone: false, strict: true, isHint: true })
  return answer?.kind === 'value' ? suggested(parseJsonText(answer.body.toString())) : []
}

function suggested(value: unknown): readonly Suggestion[] {
  const { entries } = (value ?? { entries: [] }) as { readonly entries: readonly Entry[] }
  return entries.map(({ name, user }) => ({ name, user }))
}

const doubtMs = milliseconds('10m')

/**
 * Whether any answer that was agreed in the last ten minutes is in doubt. It is if more than f
 * super validators contradicted it, or if a different answer reached the threshold too.
 */
export function isInDoubt(cases: readonly Case[], f: number, now: number): boolean {
  return cases.some(
    (kept) => kept.outcome === 'agreed' && isDoubtful(kept, f, []) && now - Date.parse(kept.at) < doubtMs,
  )
}
