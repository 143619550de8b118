import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Floor } from './floor.ts'

/** A question, as the key of its floor. */
export interface FloorId {
  /** Two ids have equal texts if and only if they stand for equal questions to one DSO of one network. */
  readonly text: string
  /** Whether callers can make up any number of such questions (`VersionOf.manyQuestions`). */
  readonly manyQuestions: boolean
}

/**
 * Keeps the floors. No method throws or rejects: a store that cannot be reached reports that to telemetry, and acts
 * as if it had no floors. It stores a keyed hash of the question, never the question.
 */
export interface Floors extends AsyncDisposable {
  /** Returns the floor in force; undefined if there is none. */
  find(id: FloorId): MaybePromise<Floor | undefined>
  /**
   * Raises the floor, unless a higher one is in force. Takes effect at once, and is written to disk later.
   * @returns the floor that is in force then.
   */
  raise(id: FloorId, floor: Floor): MaybePromise<Floor>
  /** Removes a floor. */
  end(id: FloorId): MaybePromise<void>
  /** The keys under which the floor of this question is stored, as `endKey` takes them. */
  keysOf(id: FloorId): readonly string[]
  /** Removes the floor that is stored under this key. Returns whether one was stored. */
  endKey(key: string): MaybePromise<boolean>
}
