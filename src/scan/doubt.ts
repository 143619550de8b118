import type { Examination } from './examiner.ts'

/**
 * Why nobody can tell from these votes who is right: nothing was agreed, or more than f contradict what was. Tables then
 * show sides instead of right and wrong.
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
