import type { Answer, Lifetime } from './answer.ts'
import type { Generation } from './generations.ts'

/** An answer as a store gives it back. */
export interface Remembered {
  readonly answer: Answer
  readonly lifetime: Lifetime
  /**
   * When it was agreed, on `Clock.now()` of this process. A store that keeps wall-clock times converts them so
   * that an age never gets younger on the way (quorum.md#values-from-redis).
   */
  readonly agreedAt: number
  /** The generation under which its load began. */
  readonly generation: Generation
  /** False for what only this process may keep (quorum.md#lists-item-by-item). */
  readonly sharedInRedis: boolean
}

/**
 * Where answers are kept. A store never throws and never rejects: a failure is a miss on `get`, nothing on `set`, and is
 * told to telemetry by the store. What it gives back is exactly what was set under that key, or nothing; and nothing
 * once the key was raised to a newer generation. It may give back what has ended: freshness is its reader's question.
 */
export interface Store extends AsyncDisposable {
  get(key: string): Promise<Remembered | undefined>
  set(key: string, remembered: Remembered): Promise<void>
  delete(key: string): Promise<void>
}

/** A store that answers without waiting: what the hit path reads. Its `set` and `delete` hold at once for `peek`. */
export interface SyncStore extends Store {
  /** Whether `peek` gives all that `get` would. */
  readonly peeksAll: boolean
  peek(key: string): Remembered | undefined
}
