import { milliseconds } from '../lib/clock.ts'
import { listAnsEntries } from '../reads/ans.ts'
import type { Case } from '../scan/evidence-log.ts'
import { isDoubtful } from '../scan/incidents.ts'
import { paramsOf } from './lookup.ts'
import type { Entry } from './model.ts'
import type { HistoryDeps } from './name-timeline.ts'

export type Suggestion = Pick<Entry, 'name' | 'user'>

const mostSuggested = 8

/**
 * Returns registered names that begin with this text, as a quorum lists them.
 * @throws SpliceError if no quorum agrees.
 */
export async function suggestions(
  text: string,
  agreed: HistoryDeps['agreed'],
): Promise<readonly Suggestion[]> {
  const given = { name_prefix: text, page_size: String(mostSuggested) }
  const found = await agreed({ read: listAnsEntries, params: paramsOf(listAnsEntries, given) })
  const { entries } = (found ?? { entries: [] }) as { readonly entries: readonly Entry[] }
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
