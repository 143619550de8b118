import type { Events } from '../../base/telemetry/events.ts'
import type { Label } from '../../base/telemetry/label-values.ts'

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
export type RefusalReason = Label<'redisRefusal'>

export type RedisCommand = Label<'redisOperation'>

export type CacheEvents = Pick<
  Events,
  | 'cacheLookup'
  | 'invalidated'
  | 'invalidationsFollowed'
  | 'redisFailed'
  | 'redisRefused'
  | 'redisSucceeded'
  | 'redisUp'
  | 'refreshFailed'
>
