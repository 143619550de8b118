import type { Answer, Lifetime } from './answer.ts'
import type { InvalidationPoint } from './invalidations.ts'

/** An answer as a store returns it. */
export interface Remembered {
  readonly answer: Answer
  readonly lifetime: Lifetime
  /**
   * When it was agreed, on `Clock.now()` of this process. A store that keeps wall-clock times converts them
   * so that an answer never appears younger than it is (quorum.md#values-from-redis).
   */
  readonly agreedAt: number
  /** Where in the sequence of invalidations its load began. */
  readonly point: InvalidationPoint
  /** False for an answer that only this process may store (quorum.md#lists-item-by-item). */
  readonly sharedInRedis: boolean
}

/**
 * Stores answers. A store never throws and never rejects: a failure is a miss on `get` and has no effect on
 * `set`, and the store reports it to telemetry. `get` returns exactly the answer that was set under the key,
 * or nothing. It returns nothing once the key was invalidated. It may return an answer that has ended: the
 * caller checks freshness.
 */
export interface Store extends AsyncDisposable {
  get(key: string): Promise<Remembered | undefined>
  set(key: string, remembered: Remembered): Promise<void>
  delete(key: string): Promise<void>
}

/**
 * A store that answers without waiting, for the hit path. Its `set` and `delete` take effect at once for
 * `peek`.
 */
export interface SyncStore extends Store {
  /** Whether `peek` finds everything that `get` would find. */
  readonly peeksAll: boolean
  peek(key: string): Remembered | undefined
}
