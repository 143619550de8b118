import type { Count } from '../quorum/threshold.ts'

/**
 * Returns f, the number of super validators that may be faulty. Returns infinity while no roster is agreed: f is then
 * unknown, and no number of contradicting votes counts as more than f.
 */
export function faultBound(superValidators: Pick<Count, 'f'> | undefined): number {
  return superValidators?.f ?? Number.POSITIVE_INFINITY
}
