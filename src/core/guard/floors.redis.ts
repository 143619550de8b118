import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/lib/clock.ts'
import type { Random } from '../../base/lib/random.ts'
import { parseRedisUrl } from '../../base/lib/redis-url.ts'
import type { CacheEvents } from '../cache/events.ts'
import { RedisBreaker } from '../cache/redis-breaker.ts'
import { floorIn, floorText, isStorable } from './floor-lines.ts'
import { endMarginMs, type Floor, type FloorId, type Floors, floorKeys, higher, isInForce } from './floors.ts'

export interface RedisFloorsOptions {
  readonly url: string
  readonly prefix?: string | undefined
  /**
   * A daemon adds an HMAC with this shared secret to its floors, and ignores floors with another
   * HMAC.
   */
  readonly secret?: string | undefined
}

export interface RedisFloorsDeps {
  readonly clock: Clock
  readonly random: Random
  /**
   * The floors of this process. They apply even while Redis does not answer. `RedisFloors` disposes
   * them.
   */
  readonly own: Floors
  readonly events: Pick<CacheEvents, 'redisFailed' | 'redisSucceeded'>
}

const keptMs = 30 * 86_400_000
/** Reads a floor, or as much of the value as a floor may have; `''` if there is none. */
const get = `redis.call('GETRANGE', KEYS[1], 0, 1023)`

/**
 * This Lua script stores a floor. If Redis has a later floor that is still in force (`isInForce`),
 * the script only returns that floor.
 * ARGV: the version, the text to store, a time, and how many milliseconds to keep the floor. A
 * floor that ends at or before that time (milliseconds since 1970) is not in force.
 */
const raising = `local kept = ${get}
if kept ~= '' then
  local version, ends = string.match(kept, '^(%S+) (%S+)')
  if version and version > ARGV[1] and (ends == '-' or (tonumber(ends) or 0) > tonumber(ARGV[3])) then return kept end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4])
return false`

const reading = `return ${get}`
const removing = `local kept = ${get}
redis.call('DEL', KEYS[1])
return kept`
/**
 * This Lua script stores the proposed secret unless a secret is stored already, and returns the
 * stored one. All daemons must compute keys from one secret.
 */
const agreeing = `redis.call('SET', KEYS[1], ARGV[1], 'NX')
return ${get}`

/**
 * Shares floors among the daemons of one Redis. A floor is the version of a served answer: no
 * daemon may serve an older answer afterwards.
 * While Redis does not answer, each daemon uses its own floors.
 */
export class RedisFloors implements Floors {
  readonly #options: RedisFloorsOptions
  readonly #deps: RedisFloorsDeps
  readonly #breaker: RedisBreaker
  readonly #prefix: string
  #floorKey: ((id: FloorId) => string) | undefined

  /** @throws TypeError if `options.url` is not a URL of Redis. */
  constructor(options: RedisFloorsOptions, deps: RedisFloorsDeps) {
    this.#options = options
    this.#deps = deps
    this.#prefix = `bft:${options.prefix ?? ''}:floor`
    const { clock, random } = deps
    this.#breaker = new RedisBreaker(parseRedisUrl(options.url), {
      clock,
      random,
      // The cache uses the same Redis, and reports whether Redis answers.
      up: () => {},
    })
    if (options.secret !== undefined)
      this.#floorKey = floorKeys(createHmac('sha256', options.secret).update('keys of floors').digest())
  }

  async find(id: FloorId): Promise<Floor | undefined> {
    const own = await this.#deps.own.find(id)
    const key = await this.#keyOf(id)
    const shared = key === undefined ? undefined : this.#opened(key, await this.#run(reading, key))
    if (shared === undefined || !isInForce(shared, this.#deps.clock.wall())) return own
    return this.#deps.own.raise(id, shared)
  }

  async raise(id: FloorId, floor: Floor): Promise<Floor> {
    const own = await this.#deps.own.raise(id, floor)
    const key = await this.#keyOf(id)
    if (key === undefined || !isStorable(own)) return own
    const wall = this.#deps.clock.wall()
    const timeToLive = Math.max(1, Math.min(keptMs, (own.endsAt ?? Number.POSITIVE_INFINITY) - wall))
    const text = this.#closed(key, own)
    const past = wall + endMarginMs
    const kept = await this.#run(raising, key, own.version, text, past, Math.ceil(timeToLive))
    // Another answer may have been served meanwhile.
    if (kept === undefined) return this.#deps.own.raise(id, own)
    const shared = this.#opened(key, kept)
    // A malformed text, or a text with a wrong HMAC, does not come from a daemon with this secret.
    // The text is removed, so that the next `raise` can store a floor.
    if (shared === undefined) await this.#run(removing, key)
    return this.#deps.own.raise(id, shared === undefined ? own : higher(shared, own, wall))
  }

  async end(id: FloorId): Promise<void> {
    await this.#deps.own.end(id)
    const key = await this.#keyOf(id)
    if (key !== undefined) await this.#run(removing, key)
  }

  keysOf(id: FloorId): readonly string[] {
    const own = this.#deps.own.keysOf(id)
    return this.#floorKey === undefined ? own : [...own, this.#floorKey(id)]
  }

  async endKey(key: string): Promise<boolean> {
    const here = await this.#deps.own.endKey(key)
    const there = await this.#run(removing, `${this.#prefix}:${key}`)
    return here || there !== undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#breaker[Symbol.asyncDispose]()
    await this.#deps.own[Symbol.asyncDispose]()
  }

  async #keyOf(id: FloorId): Promise<string | undefined> {
    this.#floorKey ??= await this.#sharedKeys()
    return this.#floorKey && `${this.#prefix}:${this.#floorKey(id)}`
  }

  async #sharedKeys(): Promise<((id: FloorId) => string) | undefined> {
    const proposed = randomBytes(32).toString('base64url')
    const text = await this.#run(agreeing, `${this.#prefix}:secret`, proposed)
    const secret = text === undefined ? undefined : Buffer.from(text, 'base64url')
    return secret?.length === 32 ? floorKeys(secret) : undefined
  }

  async #run(
    script: string,
    key: string,
    ...given: readonly (string | number)[]
  ): Promise<string | undefined> {
    const attempt = await this.#breaker.attempt((client) => client.eval(script, 1, key, ...given))
    if (attempt.kind === 'reply') {
      this.#deps.events.redisSucceeded('floor')
      return typeof attempt.value === 'string' && attempt.value !== '' ? attempt.value : undefined
    }
    if (attempt.kind !== 'unsent')
      this.#deps.events.redisFailed('floor', attempt.kind === 'refused' ? attempt.message : undefined)
    return undefined
  }

  #closed(key: string, floor: Floor): string {
    const said = floorText(floor)
    return `${said} ${this.#sealOf(key, said)}`
  }

  #opened(key: string, text: string | undefined): Floor | undefined {
    const [version = '', ends = '', seal = '', ...more] = text?.split(' ') ?? []
    const [given, right] = [Buffer.from(seal), Buffer.from(this.#sealOf(key, `${version} ${ends}`))]
    const isRight = more.length === 0 && given.length === right.length && timingSafeEqual(given, right)
    return isRight ? (floorIn(version, ends) ?? undefined) : undefined
  }

  #sealOf(key: string, said: string): string {
    const { secret } = this.#options
    if (secret === undefined) return 'open'
    return createHmac('sha256', secret).update(`floor ${key} ${said}`).digest('base64url')
  }
}
