import type { Answer, Lifetime } from './answer.ts'
import type { InvalidationPoint } from './invalidations.ts'

/** A stored answer, with the data that decides whether it may be served. */
export interface Remembered {
  readonly answer: Answer
  readonly lifetime: Lifetime
  /**
   * The time at which the answer was agreed, as a value of `Clock.now()` in this process. A store that records
   * wall-clock times must convert them so that no answer appears younger than it is (quorum.md#values-from-redis).
   */
  readonly agreedAt: number
  /**
   * The position of this daemon in the sequence of invalidations when the load of the answer began. For an
   * answer that was read from Redis: the position when it was read.
   */
  readonly point: InvalidationPoint
  /**
   * Whether the answer may be stored in Redis too. If false, only this process may store it
   * (quorum.md#lists-item-by-item).
   */
  readonly sharedInRedis: boolean
}

/**
 * Stores answers. No method throws or rejects: the store itself reports failures.
 * - `get` returns exactly the answer that was stored under the key. It returns undefined if there is none, if
 *   the key was invalidated since then, or if `get` fails.
 * - The answer may be too old to be served; `Answers` checks its age.
 */
export interface Store extends AsyncDisposable {
  get(key: string): Promise<Remembered | undefined>
  set(key: string, remembered: Remembered): Promise<void>
  delete(key: string): Promise<void>
}

/**
 * A store with a method `peek`, which answers without waiting. `peek` sees the effect of `set` and `delete` as soon as
 * they are called, before their promises resolve.
 */
export interface SyncStore extends Store {
  /** Whether `peek` finds everything that `get` finds. */
  readonly peeksAll: boolean
  peek(key: string): Remembered | undefined
}
