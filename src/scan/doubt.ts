import type { Examination } from './examiner.ts'

/**
 * Returns the reason why these votes do not show who is right: `disputed` if nothing was agreed, `beyond-f` if more
 * than f super validators contradict the agreed value. Tables then show sides instead of right and wrong. Undefined
 * if there is no such doubt.
 */
export function doubtOf({
  outcome,
  stands,
  electorate,
}: Pick<Examination, 'outcome' | 'stands' | 'electorate'>): 'disputed' | 'beyond-f' | undefined {
  if (outcome !== 'agreed') return 'disputed'
  const against = stands.flatMap(({ stance, names }) => (stance === 'dissented' ? names : []))
  return against.length > electorate.superValidators.f ? 'beyond-f' : undefined
}
