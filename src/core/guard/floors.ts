import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import type { Floor } from './floor.ts'

export interface FloorId {
  /** Identifies the question, the DSO and the network. */
  readonly text: string
  /**
   * True if callers can make up any number of such questions, for example pages that begin anywhere.
   */
  readonly isOfUnboundedRead: boolean
}

/**
 * Stores floors. A floor is the version of a served answer: later answers to the question must not
 * be older.
 * No method throws or rejects. If a file or Redis fails, the floors in memory still apply.
 */
export interface Floors extends AsyncDisposable {
  find(id: FloorId): MaybePromise<Floor | undefined>
  /** @returns the floor that is in force afterwards, which may be higher than `floor`. */
  raise(id: FloorId, floor: Floor): MaybePromise<Floor>
  end(id: FloorId): MaybePromise<void>
  keysOf(id: FloorId): readonly string[]
  endKey(key: string): MaybePromise<boolean>
}
