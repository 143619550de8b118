export type CacheTier = 'memory' | 'redis'
export type CacheLookup = 'hit' | 'stale' | 'miss' | 'error'

/**
 * The reason why the daemon did not use a value from Redis (quorum.md#values-from-redis).
 * - `format`: the value is not in the daemon's format.
 * - `version`: the value is in another version of this format.
 * - `seal`: the seal is wrong.
 * - `key`: the key in the value's header is not the requested key.
 * - `digest`: the digest of the body is wrong.
 * - `time`: the value is dated in the future, or never expires.
 * - `type`: the value under the key in Redis is not a string.
 */
export type RefusalReason = 'format' | 'version' | 'seal' | 'key' | 'digest' | 'time' | 'type'

export type RedisCommand = 'get' | 'set' | 'delete' | 'invalidate' | 'floor'

export interface CacheEvents {
  cacheLookup(tier: CacheTier, result: CacheLookup): void
  /**
   * Called when Redis begins or stops answering, and when the reason of an outage changes.
   * `because` is that reason, such as a wrong password.
   */
  redisUp(up: boolean, detail?: { readonly because: string }): void
  redisRefused(reason: RefusalReason): void
  /** @param refusal the error that Redis answered; undefined if it did not answer. */
  redisFailed(operation: RedisCommand, refusal?: string): void
  redisSucceeded(operation: RedisCommand): void
  refreshFailed(read: string, error: unknown, requestId?: string): void
  /**
   * Reports whether this daemon can read the invalidations of other daemons. While it cannot, it
   * uses no answers that other daemons stored in Redis. `refusal` is the error that Redis answered.
   */
  invalidationsFollowed(isHearing: boolean, refusal?: string): void
  /**
   * Reports that this daemon (`here`) or another one (`elsewhere`) invalidated cached answers
   * (quorum.md#invalidation). `topics` is the number of invalidated topics. A topic is one question
   * or all questions of a read.
   */
  invalidated(from: 'here' | 'elsewhere', topics: number): void
}
