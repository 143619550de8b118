import type { Answer, Lifetime } from './answer.ts'

/**
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
 * @param source the cache aborts it when no caller waits any more. The load may also abort it: when
 * a quorum has agreed, the load thereby cancels its other requests to scans.
 */
export type Load = (source: AbortController, purpose: Purpose) => Promise<Loaded>
