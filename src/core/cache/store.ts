import type { Moment } from '../../base/lib/clock.ts'
import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import type { Answer, Lifetime } from './answer.ts'
import type { InvalidationPoint } from './invalidation-log.ts'

export interface Remembered {
  readonly answer: Answer
  readonly lifetime: Lifetime
  /**
   * The time of the agreement by both clocks of this process. A conversion must never make an answer
   * appear younger (quorum.md#values-from-redis).
   */
  readonly agreedAt: Moment
  readonly point: InvalidationPoint
  /** Whether the answer may also be stored in Redis (quorum.md#lists-item-by-item). */
  readonly sharedInRedis: boolean
}

/** Whether an answer that another daemon stored is older than an answer that was served. */
export type IsBehind = (answer: Answer) => MaybePromise<boolean>

/**
 * Stores answers. No method throws or rejects. `get` never returns an answer that was invalidated
 * after it was agreed. The returned answer may be too old to serve.
 */
export interface Store extends AsyncDisposable {
  get(key: string, isBehind?: IsBehind): Promise<Remembered | undefined>
  set(key: string, remembered: Remembered): Promise<void>
  delete(key: string): Promise<void>
}

/**
 * A store that can also answer without waiting. `peek` sees the effect of `set` or `delete` at
 * once, even before the promise of that call resolves.
 */
export interface SyncStore extends Store {
  readonly peeksAll: boolean
  peek(key: string): Remembered | undefined
}
