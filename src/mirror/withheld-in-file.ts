import type { Degradation } from './degradation.ts'

/** A reason why the mirror answers nothing until it takes the next set. */
export type SetStop = Exclude<Degradation, { kind: 'no-set' | 'no-roster' | 'roster' | 'package' }>

/**
 * The parts of the set with which the mirror must not answer, and why. They are stored, so that they apply after a
 * restart too.
 */
export interface Withheld {
  /** The reason why the mirror answers nothing from the set. Absent if there is none. */
  readonly stop?: SetStop
  /**
   * The instant of the snapshot that contradicted the followed updates: milliseconds since 1970. Absent if no snapshot
   * did. While it is present, updates are not followed any further.
   */
  readonly unreconciledAt?: number
  /**
   * The sentence that says which version of the name-service package this release does not know. Absent if it knows it.
   */
  readonly unknownPackage?: string
  /** The names that only live reads may answer, and since when: milliseconds since 1970. */
  readonly live: readonly (readonly [name: string, since: number])[]
}

/** Returns the reason to report why the mirror answers nothing from the set; undefined if there is none. */
export function stopIn({
  stop,
  unknownPackage,
}: Pick<Withheld, 'stop' | 'unknownPackage'>): Degradation | undefined {
  return unknownPackage === undefined ? stop : { kind: 'package', why: unknownPackage }
}

export const nothingWithheld: Withheld = { live: [] }
