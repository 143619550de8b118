import type { Clock } from '../../base/lib/clock.ts'
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

export interface RedisEvents extends Pick<CacheEvents, 'redisUp' | 'redisFailed'> {
  redisRefuses(because: string | undefined): void
}

/**
 * Returns `events` with further ones, from which the state of Redis is remembered. They tell once
 * that it refuses commands and once that it takes them again, however many commands of whatever part
 * of the daemon it refuses.
 */
export function watchRedis<Told extends RedisEvents>(events: Told, clock: Pick<Clock, 'now'>) {
  const refusals = new Map<RedisCommand, CommandRefusal>()
  const told = new Set<string>()
  let connection: RedisState = { up: false }
  const watched: Pick<CacheEvents, 'redisUp' | 'redisFailed' | 'redisSucceeded'> = {
    redisUp(up, detail) {
      connection = { ...detail, up }
      events.redisUp(up, detail)
    },
    redisFailed(command, message) {
      events.redisFailed(command)
      if (message === undefined) return
      refusals.set(command, { message, at: clock.now() })
      // Scripts and other commands get the same refusal in different words.
      const what = codes.exec(message)?.[0] ?? message
      if (told.has(what)) return
      told.add(what)
      events.redisRefuses(message)
    },
    redisSucceeded(command) {
      const refusal = refusals.get(command)
      if (refusal === undefined || clock.now() - refusal.at < settledMs) return
      refusals.delete(command)
      if (refusals.size > 0) return
      told.clear()
      events.redisRefuses(undefined)
    },
  }
  const state = (): RedisState => {
    const [refusal] = refusals.values()
    return connection.up && refusal !== undefined ? { up: true, because: refusal.message } : connection
  }
  return { events: { ...events, ...watched }, state }
}
