import type { Answer, Lifetime } from './answer.ts'

/**
 * The reason for a load.
 * - `answer`: a caller waits. A stale answer from Redis is good enough.
 * - `refresh`: the stored answer is stale, so the load must ask the super validators.
 */
export type Purpose = 'answer' | 'refresh'

export interface Loaded {
  readonly answer: Answer
  /** The time for which the cache may serve the answer. Undefined if the answer must not be stored. */
  readonly lifetime: Lifetime | undefined
  /** Whether the answer is also stored in Redis. If false, only this process stores it. */
  readonly sharedInRedis: boolean
}

/**
 * Loads an answer. Rejects with the error that callers see.
 * @param source the controller of the load. The cache aborts it when no caller waits any more. The load
 * itself may also abort the controller, to end requests that still run after the answer.
 */
export type Load = (source: AbortController, purpose: Purpose) => Promise<Loaded>
