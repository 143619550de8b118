import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Floor } from './floor.ts'

export interface FloorId {
  /** Identifies the question, the DSO and the network. Ids are equal exactly if all three are equal. */
  readonly text: string
  /** True if callers can make up any number of such questions (`VersionOf.manyQuestions`). */
  readonly manyQuestions: boolean
}

/**
 * Stores the floors. No method throws or rejects. If the file or Redis cannot be used, the failure is
 * reported to telemetry, and the floors in the memory of this process still apply. Each floor is stored under
 * a keyed hash of its question, never under the question itself.
 */
export interface Floors extends AsyncDisposable {
  /** Returns the floor in force; undefined if there is none. */
  find(id: FloorId): MaybePromise<Floor | undefined>
  /**
   * Raises the floor if no higher one is in force. The new floor takes effect at once, even if it is written
   * to a file later.
   * @returns the floor that is in force afterwards.
   */
  raise(id: FloorId, floor: Floor): MaybePromise<Floor>
  /** Removes the floor of a question. */
  end(id: FloorId): MaybePromise<void>
  /**
   * Returns the keys under which the floor of this question is stored. `endKey` accepts each of these keys.
   */
  keysOf(id: FloorId): readonly string[]
  /** Removes the floor that is stored under this key. Returns false if there was no such floor. */
  endKey(key: string): MaybePromise<boolean>
}
