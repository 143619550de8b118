import type { Clock } from '../lib/clock.ts'
import type { CacheEvents, RedisCommand } from './events.ts'

/** Whether Redis answered when the daemon last contacted it, and what prevents its use. */
export interface RedisState {
  readonly up: boolean
  readonly because?: unknown
}

interface CommandRefusal {
  readonly message: string
  readonly at: number
}

/** A command that succeeds this soon after a refusal does not end it: a full Redis takes small values. */
const settledMs = 1_000

const codes = /\b(READONLY|MASTERDOWN|OOM|NOREPLICAS|NOPERM|NOAUTH|MISCONF|LOADING|CLUSTERDOWN|BUSY)\b/

/**
 * Remembers the state of Redis, and tells once that it refuses commands and once that it takes them
 * again, however many commands of whatever part of the daemon it refuses.
 */
class RedisHealth {
  readonly #clock: Pick<Clock, 'now'>
  readonly #refuses: (because: string | undefined) => void
  readonly #refusals = new Map<RedisCommand, CommandRefusal>()
  readonly #told = new Set<string>()
  #connection: RedisState = { up: false }

  constructor(clock: Pick<Clock, 'now'>, refuses: (because: string | undefined) => void) {
    this.#clock = clock
    this.#refuses = refuses
  }

  get state(): RedisState {
    if (!this.#connection.up) return this.#connection
    const [refusal] = this.#refusals.values()
    return refusal === undefined ? this.#connection : { up: true, because: refusal.message }
  }

  connected(up: boolean, detail?: { readonly because: string }): void {
    this.#connection = { ...detail, up }
  }

  refused(command: RedisCommand, message: string): void {
    this.#refusals.set(command, { message, at: this.#clock.now() })
    // Scripts and other commands get the same refusal in different words.
    const what = codes.exec(message)?.[0] ?? message
    if (this.#told.has(what)) return
    this.#told.add(what)
    this.#refuses(message)
  }

  succeeded(command: RedisCommand): void {
    const refusal = this.#refusals.get(command)
    if (refusal === undefined || this.#clock.now() - refusal.at < settledMs) return
    this.#refusals.delete(command)
    if (this.#refusals.size > 0) return
    this.#told.clear()
    this.#refuses(undefined)
  }
}

export interface RedisEvents extends Pick<CacheEvents, 'redisUp' | 'redisFailed'> {
  redisRefuses(because: string | undefined): void
}

/** Returns `events` with further ones, from which the state of Redis is remembered. */
export function watchRedis<Told extends RedisEvents>(events: Told, clock: Pick<Clock, 'now'>) {
  const health = new RedisHealth(clock, (because) => events.redisRefuses(because))
  const watched: Pick<CacheEvents, 'redisUp' | 'redisFailed' | 'redisSucceeded'> = {
    redisUp(up, detail) {
      health.connected(up, detail)
      events.redisUp(up, detail)
    },
    redisFailed(operation, refusal) {
      events.redisFailed(operation)
      if (refusal !== undefined) health.refused(operation, refusal)
    },
    redisSucceeded: (operation) => health.succeeded(operation),
  }
  return { events: { ...events, ...watched }, state: () => health.state }
}
