import type { Verifier } from '../../src/auth/verifier.ts'
import { type AppDeps, type AppOptions, createPublicApi } from '../../src/http/app.ts'
import { HttpServer, type Shortcut } from '../../src/http/server.ts'
import { createEvents } from '../../src/telemetry/events.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import type { Stage } from '../support/daemon.ts'

/** One read path behind two servers: `hits` is the public API, `plain` the same without its shortcut for hits. */
export interface Doors extends AsyncDisposable {
  hits(path: string, options?: AskOptions): Promise<Heard>
  plain(path: string, options?: AskOptions): Promise<Heard>
  /** Base URLs of both, for requests in raw bytes. */
  readonly urls: { readonly hits: string; readonly plain: string }
  /** How many requests the shortcut has answered. */
  shortcuts(): number
}

export async function openDoors(
  { daemon, clock }: Stage,
  given: { readonly verifier?: Verifier; readonly missesPerSecond?: number } = {},
): Promise<Doors> {
  const options: AppOptions = { network: 'localnet', missesPerSecond: given.missesPerSecond }
  const deps: AppDeps = {
    reader: daemon.scan.reader,
    verifier: given.verifier,
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
  const listen = async (wrap: (shortcut: Shortcut) => Shortcut | undefined) => {
    const { app, shortcut } = createPublicApi(options, deps)
    const server = await HttpServer.listen(
      { host: '127.0.0.1', port: 0 },
      (request, env) => app.fetch(request, env),
      clock,
      wrap(shortcut),
    )
    opened.defer(() => server.close(0))
    const { url } = server
    const door = (path: string, asked: AskOptions = {}) =>
      ask(url, path, { ...asked, headers: { host: 'names.example', ...asked.headers } })
    return { url, door }
  }
  let shortcuts = 0
  const hits = await listen((shortcut) => (request, response) => {
    const taken = shortcut(request, response)
    if (taken) shortcuts++
    return taken
  })
  const plain = await listen(() => undefined)
  const held = opened.move()
  return {
    hits: hits.door,
    plain: plain.door,
    urls: { hits: hits.url, plain: plain.url },
    shortcuts: () => shortcuts,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
