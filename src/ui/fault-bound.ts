import type { Count } from '../quorum/threshold.ts'

/**
 * Returns f, the number of super validators that may be faulty. While the list of super validators
 * is unknown, f is infinite, so that no number of contradicting votes exceeds f.
 */
export function faultBound(superValidators: Pick<Count, 'f'> | undefined): number {
  return superValidators?.f ?? Number.POSITIVE_INFINITY
}
