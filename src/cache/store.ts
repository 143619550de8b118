import type { Answer, Lifetime } from './answer.ts'
import type { InvalidationPoint } from './invalidations.ts'

/** A stored answer, with what is needed to decide whether it may be served. */
export interface Remembered {
  readonly answer: Answer
  readonly lifetime: Lifetime
  /**
   * The time at which the answer was agreed, as a value of `Clock.now()` in this process. A store that records
   * wall-clock times converts them so that an answer never appears younger than it is
   * (quorum.md#values-from-redis).
   */
  readonly agreedAt: number
  /** The position of this daemon in the sequence of invalidations when the load of the answer began. */
  readonly point: InvalidationPoint
  /**
   * Whether the answer may be stored in Redis too. False if only this process may store it
   * (quorum.md#lists-item-by-item).
   */
  readonly sharedInRedis: boolean
}

/**
 * Stores answers. A store never throws and never rejects: a failure is a miss on `get` and has no effect on
 * `set`, and the store reports it to telemetry. `get` returns exactly the answer that was set under the key,
 * or nothing. It returns nothing once the key was invalidated. It may return an answer that is too old to be
 * served: the caller checks that.
 */
export interface Store extends AsyncDisposable {
  get(key: string): Promise<Remembered | undefined>
  set(key: string, remembered: Remembered): Promise<void>
  delete(key: string): Promise<void>
}

/**
 * A store that can also answer without waiting, for requests that the cache can answer at once. Its `set` and
 * `delete` take effect at once for `peek`.
 */
export interface SyncStore extends Store {
  /** Whether `peek` finds everything that `get` finds. */
  readonly peeksAll: boolean
  peek(key: string): Remembered | undefined
}
