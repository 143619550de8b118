import type { Config } from '../../base/config/resolve.ts'
import { whyUnusable } from '../../base/lib/unusable-file.ts'
import type { Base } from '../../base/telemetry/open.ts'
import type { CacheEvents } from '../cache/events.ts'
import { FloorFile, type FloorFileEvents } from './floor-file.ts'
import { FloorTable } from './floors.ts'
import { RollbackGuard } from './rollback-guard.ts'

export interface GuardDeps extends Pick<Base, 'clock' | 'random' | 'metrics'> {
  readonly events: FloorFileEvents & CacheEvents
  readonly redisPrefix?: string | undefined
}

/** @throws Error whose message names the option `guard.file` */
export async function openGuard(
  { network, guard, cache: { redis } }: Pick<Config, 'network' | 'guard' | 'cache'>,
  deps: GuardDeps,
): Promise<RollbackGuard | undefined> {
  if (!guard.enabled) return undefined
  const { clock, metrics, redisPrefix: prefix } = deps
  const { url, secret } = redis
  const shared = url === undefined ? undefined : await import('./floors.redis.ts')
  const own = guard.file === undefined ? FloorTable.inMemory({ clock }) : await openFile(guard.file, deps)
  metrics.floors.readFrom(() => own.size)
  const floors =
    url === undefined || shared === undefined
      ? own
      : new shared.RedisFloors({ url, secret, prefix }, { ...deps, own })
  return new RollbackGuard({ network }, { floors, clock })
}

async function openFile(file: string, deps: GuardDeps): Promise<FloorFile> {
  try {
    const { lockFile } = await import('./file-lock.sqlite.ts')
    return await FloorFile.open(file, { ...deps, lock: lockFile })
  } catch (error) {
    throw new Error(`guard.file (GUARD_FILE) cannot be used: ${whyUnusable(file, error)}`, { cause: error })
  }
}
