import type { Verifier } from '../../src/auth/verifier.ts'
import { type AppDeps, type AppOptions, createPublicApi } from '../../src/http/app.ts'
import { HttpServer, type Shortcut } from '../../src/http/server.ts'
import { createEvents } from '../../src/telemetry/events.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import type { Stage } from '../support/daemon.ts'

/**
 * Two servers on one read path. One serves the public API as a daemon does. In the other, the URL parser parses the
 * target of every request.
 */
export interface Doors extends AsyncDisposable {
  ask(path: string, options?: AskOptions): Promise<Heard>
  readonly urls: { readonly public: string; readonly parsed: string }
  unparsed(): number
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
  await using opened = new AsyncDisposableStack()
  const { fetch, shortcut } = createPublicApi(options, deps)
  const listen = async (ahead: { readonly shortcut?: Shortcut }) => {
    const server = await HttpServer.listen({ host: '127.0.0.1', port: 0 }, { fetch, ...ahead }, clock)
    opened.defer(() => server.close(0))
    return server.url
  }
  let unparsed = 0
  const urls = {
    public: await listen({
      shortcut: (request, response) => {
        const taken = shortcut(request, response)
        if (taken) unparsed++
        return taken
      },
    }),
    parsed: await listen({}),
  }
  const held = opened.move()
  return {
    ask: (path, asked = {}) =>
      ask(urls.public, path, { ...asked, headers: { host: 'names.example', ...asked.headers } }),
    urls,
    unparsed: () => unparsed,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
