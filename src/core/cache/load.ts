import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import type { Answer, Lifetime } from './answer.ts'

/**
 * The reason for a load.
 * - `answer`: a caller waits, so a stale answer from Redis is good enough.
 * - `refresh`: the stored answer is stale, so the load must ask the super validators.
 */
export type Purpose = 'answer' | 'refresh'

export interface Loaded {
  readonly answer: Answer
  readonly lifetime: Lifetime | undefined
  readonly sharedInRedis: boolean
}

/**
 * Loads an answer, or rejects with the error that callers see.
 * @param source the cache aborts it when no caller waits any more, or at shutdown. The component
 * that provides the load may also abort it, for example when that component closes.
 */
export type Load = (source: AbortController, purpose: Purpose) => Promise<Loaded>

/** Whether an answer that another daemon stored is older than an answer that was served. */
export type IsBehind = (answer: Answer) => MaybePromise<boolean>
