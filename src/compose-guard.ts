import type { CacheEvents } from './cache/events.ts'
import type { Config } from './config/resolve.ts'
import { FloorFile, type FloorFileDeps } from './guard/floor-file.ts'
import { FloorTable } from './guard/floor-table.ts'
import type { Floors } from './guard/floors.ts'
import { RollbackGuard } from './guard/rollback-guard.ts'
import type { Clock } from './lib/clock.ts'
import type { Random } from './lib/random.ts'
import { whyUnusable } from './lib/unusable-file.ts'
import { lookupAnsEntryByName } from './reads/ans.ts'
import type { Discovery } from './scan/discovery.ts'
import { floorIdOf } from './scan/newest-agreed.ts'
import type { RollbackDeps } from './scan/rollback-check.ts'
import type { Events } from './telemetry/events.ts'
import type { Metrics } from './telemetry/metrics.ts'

export interface GuardDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: Events & CacheEvents
  readonly metrics: Metrics
  readonly redisPrefix: string | undefined
}

/**
 * Removes floors. A floor is the age of an answer that was served: later answers to the same
 * question must not be older.
 */
export interface FloorResets {
  /**
   * Resolves with false while the daemon has no roster, because the key of a floor depends on the
   * roster.
   */
  endOfName(name: string): Promise<boolean>
  endKey(key: string): Promise<boolean>
}

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

async function openFloors(
  { guard: { file }, cache: { redis } }: Pick<Config, 'guard' | 'cache'>,
  { clock, random, events, metrics, redisPrefix: prefix }: GuardDeps,
): Promise<Floors> {
  const own =
    file === undefined ? FloorTable.inMemory({ clock }) : await openFloorFile(file, { clock, events })
  metrics.floors.readFrom(() => own.size)
  if (redis.url === undefined) return own
  await using opened = new AsyncDisposableStack()
  opened.use(own)
  const { RedisFloors } = await import('./guard/floors.redis.ts')
  const options = { url: redis.url, prefix, secret: redis.secret }
  const floors = new RedisFloors(options, {
    clock,
    random,
    own,
    failed: (refusal) => events.redisFailed('floor', refusal),
    succeeded: () => events.redisSucceeded('floor'),
  })
  opened.move()
  return floors
}

async function openFloorFile(file: string, deps: FloorFileDeps): Promise<FloorFile> {
  try {
    const { lockFile } = await import('./guard/file-lock.sqlite.ts')
    return await FloorFile.open(file, { ...deps, lock: lockFile })
  } catch (error) {
    throw new Error(`guard.file (GUARD_FILE) cannot be used: ${whyUnusable(file, error)}`, { cause: error })
  }
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
