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

export type RedisCommand = 'get' | 'set' | 'delete' | 'invalidate'

/** Receives the events of the cache. Implementations never throw. */
export interface CacheEvents {
  /**
   * Reports a lookup, once for each tier in which the answer was looked up. The result `error` means that
   * Redis could not be reached, did not answer in time, or answered with an error.
   */
  cacheLookup(tier: CacheTier, result: CacheLookup): void
  /**
   * Reports that Redis began to answer, stopped answering, or still does not answer, but for another reason
   * than before. `detail` has the reason, such as a refused connection, a wrong password, or a reply that
   * does not fit the daemon's command.
   */
  redisUp(up: boolean, detail?: { readonly because: string }): void
  /** Reports that the daemon does not use the value that Redis had under the requested key. */
  redisRefused(reason: RefusalReason): void
  /**
   * Reports that Redis refused a command, did not answer it in time, or closed the connection. Commands that
   * were not sent are not reported.
   */
  redisFailed(operation: RedisCommand): void
  /**
   * Reports that a refresh failed. The stale answer stays, and the next refresh is delayed.
   * @param requestId the id of the request that caused the refresh.
   */
  refreshFailed(read: string, error: unknown, requestId?: string): void
  /**
   * Reports that this daemon began or stopped reading the invalidations of other daemons. While it does not
   * read them, it uses no answers that other daemons stored.
   */
  invalidationsFollowed(heard: boolean): void
  /** Reports that topics were invalidated (quorum.md#invalidation): by this daemon or by another one. */
  invalidated(from: 'here' | 'elsewhere', topics: number): void
}
