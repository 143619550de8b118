import type { Examination } from './examiner.ts'

/**
 * Returns the reason why these votes do not show who is right: `disputed` if nothing was agreed,
 * `beyond-f` if more than f votes contradict the agreed answer.
 */
export function doubtOf({
  outcome,
  stands,
  electorate,
}: Pick<Examination, 'outcome' | 'stands' | 'electorate'>): 'disputed' | 'beyond-f' | undefined {
  if (outcome !== 'agreed') return 'disputed'
  const against = stands.filter(({ stance }) => stance === 'dissented')
  return against.length > electorate.superValidators.f ? 'beyond-f' : undefined
}
