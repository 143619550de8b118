export type CacheTier = 'memory' | 'redis'
export type CacheLookup = 'hit' | 'stale' | 'miss' | 'error'

/**
 * Why a value from Redis was not used (quorum.md#values-from-redis): it is not one of ours, of another version, its
 * seal is wrong, it was stored under another key, its bytes have another digest, it is dated in the future or never
 * ends, or Redis keeps something else than a string there.
 */
export type RefusalReason = 'format' | 'version' | 'seal' | 'key' | 'digest' | 'time' | 'type'

export type RedisCommand = 'get' | 'set' | 'delete' | 'raise'

/** What the cache tells. Implementations never throw. */
export interface CacheEvents {
  /** Each lookup once a tier. `error`: Redis could not be asked or did not answer in time. */
  cacheLookup(tier: CacheTier, result: CacheLookup): void
  /** Told when it changes; with the reason where Redis answered what no command of ours can have as its answer. */
  redisUp(up: boolean, detail?: { readonly because: string }): void
  /** Something was kept in Redis under the key that was asked for, and was not used. */
  redisRefused(reason: RefusalReason): void
  /** A command was refused or not answered in time; those that were not even sent are not told. */
  redisFailed(operation: RedisCommand): void
  /** A stale answer stays, and its next refresh waits. */
  refreshFailed(read: string, error: unknown): void
  /** Whether the raises of other daemons are heard; while they are not, nothing is used that others stored. Told when it changes. */
  raisesHeard(heard: boolean): void
  /** Keys were raised to a new generation (quorum.md#invalidation). */
  generationRaised(from: 'here' | 'elsewhere', topics: number): void
}
