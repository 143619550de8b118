import { systemClock } from '../../src/base/lib/clock.ts'
import { silentLogger } from '../../src/base/telemetry/logger.ts'
import { type AppDeps, type AppOptions, createPublicApi, type PublicApi } from '../../src/server/http/app.ts'
import { silentEvents } from '../telemetry/silent-events.ts'

const nothing: AppDeps = {
  reader: {
    answer: () => Promise.reject(new Error('nothing is read here')),
    quorumOfNobody: () => undefined,
  },
  verifier: undefined,
  ledgerRoutes: undefined,
  ledgerApiRoutes: undefined,
  about: {
    version: '1.2.3',
    versionTime: '2026-01-01T00:00:00.000Z',
    ready: () => true,
    quorumReachable: () => true,
    uptimeMs: () => 61_234,
  },
  clock: systemClock,
  events: silentEvents,
  logger: silentLogger,
}

/** The public API of a daemon that has only the `given` parts. */
export function publicApi(given: Partial<AppDeps>, options: Partial<AppOptions> = {}): PublicApi {
  return createPublicApi(
    { network: 'localnet', missesPerSecond: undefined, ...options },
    { ...nothing, ...given },
  )
}
