import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { RedisBreaker } from '../cache/redis-breaker.ts'
import { parseRedisUrl } from '../cache/redis-url.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { type Floor, higher, holds } from './floor.ts'
import { isStorable } from './floor-lines.ts'
import { floorKeys } from './floor-table.ts'
import type { FloorId, Floors } from './floors.ts'

export interface RedisFloorsOptions {
  /** A URL that `parseRedisUrl` accepts. */
  readonly url: string
  /** The string that follows `bft:` in this daemon's Redis keys, as in the cache. */
  readonly prefix?: string | undefined
  /**
   * The secret that all daemons of this Redis share. A daemon adds an HMAC with this secret to its floors, and ignores
   * floors with another HMAC. Without a secret, floors have no HMAC.
   */
  readonly secret?: string | undefined
}

export interface RedisFloorsDeps {
  readonly clock: Clock
  readonly random: Random
  /** The floors of this process, which apply even if Redis does not answer. `RedisFloors` disposes them. */
  readonly own: Floors
  /** Called when Redis fails or rejects a command. */
  readonly failed: () => void
}

/**
 * The longest time for which Redis keeps a floor after a daemon last raised or confirmed it: 30 days in milliseconds.
 */
const keptMs = 30 * 86_400_000
const mostBytes = 1_024

/**
 * A Lua script that stores a floor. If the stored floor has a later version and has not ended, the script
 * changes nothing and returns the stored floor. It compares versions byte by byte, which gives the same order
 * as `<` because versions are ASCII. ARGV: the version, the string to store, the present time in milliseconds
 * since 1970, and the milliseconds for which Redis keeps the floor.
 */
const raising = `local kept = redis.call('GET', KEYS[1])
if kept then
  local version, ends = string.match(kept, '^(%S+) (%S+)')
  if version and version > ARGV[1] and (ends == '-' or tonumber(ends) > tonumber(ARGV[3])) then return kept end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4])
return false`

const reading = `return redis.call('GET', KEYS[1])`
const removing = `local kept = redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[1])
return kept`
/** A Lua script that stores a proposed secret if Redis has none, and returns the secret that Redis has afterwards. */
const agreeing = `redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])`

/**
 * Shares floors among the daemons of one Redis: an answer that one daemon served sets the floor for all
 * daemons. A command waits for Redis for at most 50 ms. While Redis does not answer, each daemon uses its own
 * floors.
 */
export class RedisFloors implements Floors {
  readonly #options: RedisFloorsOptions
  readonly #deps: RedisFloorsDeps
  readonly #breaker: RedisBreaker
  readonly #prefix: string
  /**
   * Computes the keys of floors in Redis. Undefined until this daemon knows the secret from which all daemons
   * compute these keys.
   */
  #floorKey: ((id: FloorId) => string) | undefined

  /** @throws TypeError for an invalid URL. */
  constructor(options: RedisFloorsOptions, deps: RedisFloorsDeps) {
    this.#options = options
    this.#deps = deps
    this.#prefix = `bft:${options.prefix ?? ''}:floor`
    const { clock, random } = deps
    this.#breaker = new RedisBreaker(parseRedisUrl(options.url), {
      clock,
      random,
      largestValue: mostBytes,
      // Nothing is reported here: the cache uses the same Redis, and reports whether Redis answers.
      up: () => {},
    })
    if (options.secret !== undefined)
      this.#floorKey = floorKeys(createHmac('sha256', options.secret).update('keys of floors').digest())
  }

  async find(id: FloorId): Promise<Floor | undefined> {
    const own = await this.#deps.own.find(id)
    const key = await this.#keyOf(id)
    const shared = key === undefined ? undefined : this.#opened(key, await this.#run(reading, key))
    if (shared === undefined || !holds(shared, this.#deps.clock.wall())) return own
    return this.#deps.own.raise(id, shared)
  }

  async raise(id: FloorId, floor: Floor): Promise<Floor> {
    const own = await this.#deps.own.raise(id, floor)
    const key = await this.#keyOf(id)
    if (key === undefined || !isStorable(own)) return own
    const wall = this.#deps.clock.wall()
    const timeToLive = Math.max(1, Math.min(keptMs, (own.endsAt ?? Number.POSITIVE_INFINITY) - wall))
    const text = this.#closed(key, own)
    const kept = await this.#run(raising, key, own.version, text, wall, Math.ceil(timeToLive))
    if (kept === undefined) return own
    const shared = this.#opened(key, kept)
    // If `shared` is undefined, the string in Redis was not written by a daemon with this secret. The string
    // is removed, so that the next `raise` can store a floor.
    if (shared === undefined) await this.#run(removing, key)
    else if (higher(shared, own, wall) === shared) return this.#deps.own.raise(id, shared)
    return own
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
    if (attempt.kind === 'reply') return typeof attempt.value === 'string' ? attempt.value : undefined
    if (attempt.kind !== 'unsent') this.#deps.failed()
    return undefined
  }

  #closed(key: string, { version, endsAt }: Floor): string {
    const said = `${version} ${endsAt ?? '-'}`
    return `${said} ${this.#sealOf(key, said)}`
  }

  #opened(key: string, text: string | undefined): Floor | undefined {
    const [version = '', ends = '', seal = '', ...more] = text?.split(' ') ?? []
    const endsAt = ends === '-' ? undefined : Number(ends)
    const floor = { version, endsAt }
    if (more.length > 0 || !isStorable(floor) || Number.isNaN(endsAt)) return undefined
    const right = this.#sealOf(key, `${version} ${ends}`)
    const isRight = seal.length === right.length && timingSafeEqual(Buffer.from(seal), Buffer.from(right))
    return isRight ? floor : undefined
  }

  #sealOf(key: string, said: string): string {
    const { secret } = this.#options
    if (secret === undefined) return 'open'
    return createHmac('sha256', secret).update(`floor ${key} ${said}`).digest('base64url')
  }
}
