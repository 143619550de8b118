import { milliseconds } from '../lib/clock.ts'
import { listAnsEntries } from '../reads/ans.ts'
import { isDoubtful } from '../scan/contradictions.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { Examiner } from '../scan/examiner.ts'
import type { HistoryDeps } from './history.ts'
import { paramsOf } from './lookup.ts'
import type { Entry } from './model.ts'

export interface SuggestionDeps {
  /** Asks super validators past the cache. Undefined if a suggestion may cost no more than a cached read. */
  readonly examiner: Pick<Examiner, 'examine'> | undefined
  readonly agreed: HistoryDeps['agreed']
  /** True if more than f super validators have lately contradicted an agreed answer. */
  readonly isInDoubt: boolean
}

export type Suggestion = Pick<Entry, 'name' | 'user'>

const mostSuggested = 8

/**
 * Returns at most `mostSuggested` registered names that begin with this text. The page must not suggest a name that
 * its own look-up would mark as in doubt. With an examiner, at least 2f+1 super validators therefore have to agree
 * on the list. Without one, the list comes from the cache, and is empty while there is doubt.
 * @throws SpliceError if the list cannot be agreed
 */
export async function suggestions(text: string, deps: SuggestionDeps): Promise<readonly Suggestion[]> {
  const given = { name_prefix: text, page_size: String(mostSuggested) }
  const question = { read: listAnsEntries, params: paramsOf(listAnsEntries, given) }
  if (deps.examiner === undefined) return deps.isInDoubt ? [] : suggested(await deps.agreed(question))
  const { answer } = await deps.examiner.examine(question, { everyone: false, strict: true })
  return answer?.kind === 'value' ? suggested(JSON.parse(answer.body.toString())) : []
}

function suggested(value: unknown): readonly Suggestion[] {
  const { entries } = (value ?? { entries: [] }) as { readonly entries: readonly Entry[] }
  return entries.map(({ name, user }) => ({ name, user }))
}

const doubtMs = milliseconds('10m')

/**
 * Whether more than f super validators contradicted an agreed answer in the last ten minutes.
 * @param now milliseconds since 1970 UTC on the machine's clock.
 */
export function isInDoubt(cases: readonly Case[], f: number, now: number): boolean {
  return cases.some(
    (kept) => kept.outcome === 'agreed' && isDoubtful(kept, f, []) && now - Date.parse(kept.at) < doubtMs,
  )
}
