import type { Config } from './config/resolve.ts'
import { FloorFile } from './guard/floor-file.ts'
import { FloorTable } from './guard/floor-table.ts'
import type { Floors } from './guard/floors.ts'
import { RollbackGuard } from './guard/rollback-guard.ts'
import type { Clock } from './lib/clock.ts'
import type { Random } from './lib/random.ts'
import { lookupAnsEntryByName } from './reads/ans.ts'
import type { Discovery } from './scan/discovery.ts'
import { floorIdOf } from './scan/newest-agreed.ts'
import type { RollbackDeps } from './scan/rollback-check.ts'
import type { Events } from './telemetry/events.ts'
import type { Metrics } from './telemetry/metrics.ts'

export interface GuardDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: Events
  readonly metrics: Metrics
  /** Part of every Redis key. */
  readonly redisPrefix: string | undefined
}

/** Ends floors of the rollback guard, as an operator wishes. */
export interface FloorResets {
  /** Returns false if there is no roster yet. */
  endOfName(name: string): Promise<boolean>
  /** Returns whether there was such a floor. */
  endKey(key: string): Promise<boolean>
}

/** Wires the rollback guard. Undefined if `guard.enabled` is false. */
export async function openGuard(
  options: Pick<Config, 'network' | 'guard' | 'cache'>,
  deps: GuardDeps,
): Promise<RollbackGuard | undefined> {
  if (!options.guard.enabled) return undefined
  return new RollbackGuard(
    { network: options.network },
    { floors: await openFloors(options, deps), clock: deps.clock },
  )
}

/** Opens what keeps the ages of served answers. Imports the Redis client only if Redis is configured. */
async function openFloors(
  { guard: { file }, cache: { redis } }: Pick<Config, 'guard' | 'cache'>,
  { clock, random, events, metrics, redisPrefix: prefix }: GuardDeps,
): Promise<Floors> {
  const own =
    file === undefined ? FloorTable.inMemory({ clock }) : await FloorFile.open(file, { clock, events })
  metrics.floors.readFrom(() => own.size)
  if (redis.url === undefined) return own
  const { RedisFloors } = await import('./guard/floors.redis.ts')
  const options = { url: redis.url, prefix, secret: redis.secret }
  return new RedisFloors(options, { clock, random, own, failed: () => events.redisFailed('floor') })
}

export function rollbackDeps(guard: RollbackGuard, events: Events): Pick<RollbackDeps, 'guard' | 'heldUp'> {
  return { guard, heldUp: ({ id }, outcome, detail) => events.heldUp(id, outcome, { ...detail }) }
}

export function floorResets(guard: RollbackGuard, discovery: Pick<Discovery, 'roster'>): FloorResets {
  return {
    async endOfName(name) {
      const { roster } = discovery
      if (roster === undefined) return false
      const question = { read: lookupAnsEntryByName, params: { name } }
      await guard.reset(floorIdOf(guard.network, question, roster))
      return true
    },
    endKey: async (key) => guard.resetKey(key),
  }
}
