import type { Degradation } from './degradation.ts'

export type SetStop = Exclude<
  Degradation,
  { kind: 'no-set' | 'no-roster' | 'no-head' | 'roster' | 'package' }
>

/**
 * The reason why the mirror must not answer, and the single names that it must not answer. Both are
 * stored, so that they apply after a restart.
 */
export interface Withheld {
  readonly stop?: SetStop
  /**
   * The record time of the snapshot that contradicted the followed updates: milliseconds since
   * 1970. While this field is present, no updates are followed.
   */
  readonly unreconciledAt?: number
  /** A sentence that says which version of the name-service package this release does not know. */
  readonly unknownPackage?: string
  /**
   * Only reads that ask super validators may answer these names. `since` is when that began:
   * milliseconds since 1970.
   */
  readonly live: readonly (readonly [name: string, since: number])[]
}

export function stopIn({
  stop,
  unknownPackage,
}: Pick<Withheld, 'stop' | 'unknownPackage'>): Degradation | undefined {
  return unknownPackage === undefined ? stop : { kind: 'package', why: unknownPackage }
}

export const nothingWithheld: Withheld = { live: [] }
