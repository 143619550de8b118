import type { Verifier } from '../../src/auth/verifier.ts'
import { type AppDeps, type AppOptions, createPublicApi } from '../../src/http/app.ts'
import { HttpServer } from '../../src/http/server.ts'
import { createEvents } from '../../src/telemetry/events.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import type { Stage } from '../support/daemon.ts'

/** The public API of a daemon on a read path. */
export interface Doors extends AsyncDisposable {
  ask(path: string, options?: AskOptions): Promise<Heard>
  readonly url: string
}

export async function openDoors(
  { daemon, clock }: Stage,
  given: {
    readonly verifier?: Verifier
    readonly missesPerSecond?: number
    readonly reader?: AppDeps['reader']
    readonly changes?: AppDeps['changes']
  } = {},
): Promise<Doors> {
  const options: AppOptions = { network: 'localnet', missesPerSecond: given.missesPerSecond }
  const deps: AppDeps = {
    reader: given.reader ?? daemon.scan.reader,
    verifier: given.verifier,
    changes: given.changes,
    ledgerRoutes: undefined,
    ledgerApiRoutes: undefined,
    about: {
      version: '1.2.3',
      versionTime: '2026-01-01T00:00:00.000Z',
      ready: () => true,
      quorumReachable: () => true,
      uptimeMs: () => 61_234,
    },
    clock,
    events: createEvents({
      metrics: createMetrics({ version: '1.2.3', reads: [] }),
      logger: silentLogger,
      clock,
    }),
    logger: silentLogger,
  }
  const api = createPublicApi(options, deps)
  const server = await HttpServer.listen({ host: '127.0.0.1', port: 0 }, api, clock)
  return {
    ask: (path, asked = {}) =>
      ask(server.url, path, { ...asked, headers: { host: 'names.example', ...asked.headers } }),
    url: server.url,
    [Symbol.asyncDispose]: () => server.close(0),
  }
}
