import type { Degradation } from './degradation.ts'

/** A reason why the mirror answers nothing until it takes the next set of names. */
export type SetStop = Exclude<Degradation, { kind: 'no-set' | 'no-roster' | 'roster' | 'package' }>

/**
 * The reason why the mirror must not answer from its set of names, and the single names that it must leave to
 * live reads. Both are stored, so that they apply after a restart too.
 */
export interface Withheld {
  /** The reason why the mirror answers nothing from its set of names. Absent if there is none. */
  readonly stop?: SetStop
  /**
   * The record time of the snapshot that contradicted the followed updates: milliseconds since 1970. Absent
   * if no snapshot did. While it is present, updates are not followed any further.
   */
  readonly unreconciledAt?: number
  /**
   * The sentence that says which version of the name-service package this release does not know. Absent if
   * the version in use is known.
   */
  readonly unknownPackage?: string
  /**
   * The names whose lookups only live reads may answer, each with the time at which this began: milliseconds
   * since 1970.
   */
  readonly live: readonly (readonly [name: string, since: number])[]
}

/**
 * Returns the reason why the mirror answers nothing from its set of names, as `/status` reports it; undefined
 * if there is none.
 */
export function stopIn({
  stop,
  unknownPackage,
}: Pick<Withheld, 'stop' | 'unknownPackage'>): Degradation | undefined {
  return unknownPackage === undefined ? stop : { kind: 'package', why: unknownPackage }
}

export const nothingWithheld: Withheld = { live: [] }
