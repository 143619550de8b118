export type CacheTier = 'memory' | 'redis'
export type CacheLookup = 'hit' | 'stale' | 'miss' | 'error'

/**
 * Why the daemon did not use a value from Redis (quorum.md#values-from-redis): it is not in the daemon's
 * format or is of another version; its seal is wrong; it was stored under another key; its bytes have another
 * digest; it is dated in the future or never ends; or the key holds another type than a string.
 */
export type RefusalReason = 'format' | 'version' | 'seal' | 'key' | 'digest' | 'time' | 'type'

export type RedisCommand = 'get' | 'set' | 'delete' | 'invalidate'

/** Events that the cache reports. Implementations never throw. */
export interface CacheEvents {
  /** Called once per lookup and tier. `error`: Redis could not be reached or did not answer in time. */
  cacheLookup(tier: CacheTier, result: CacheLookup): void
  /**
   * Called when Redis begins or stops answering. `detail` is set if Redis sent a reply that is invalid for
   * the daemon's command.
   */
  redisUp(up: boolean, detail?: { readonly because: string }): void
  /** Redis had a value under the requested key, and the daemon did not use it. */
  redisRefused(reason: RefusalReason): void
  /** Redis refused a command or did not answer in time. Commands that were not sent are not reported. */
  redisFailed(operation: RedisCommand): void
  /**
   * A refresh failed: the stale answer stays, and the next refresh waits.
   * @param requestId names the request that caused the refresh.
   */
  refreshFailed(read: string, error: unknown, requestId?: string): void
  /**
   * Called when this daemon begins or stops reading the invalidations of other daemons. While it does not
   * read them, it uses no answers that other daemons stored.
   */
  invalidationsFollowed(heard: boolean): void
  /** Keys were invalidated (quorum.md#invalidation). */
  invalidated(from: 'here' | 'elsewhere', topics: number): void
}
