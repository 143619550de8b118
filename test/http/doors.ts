import type { AppDeps } from '../../src/server/http/app.ts'
import { HttpServer } from '../../src/server/http/server.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import type { Stage } from '../support/daemon.ts'
import { publicApi } from './public-api.ts'

/** The public API of a daemon on a read path. */
export interface Doors extends AsyncDisposable {
  ask(path: string, options?: AskOptions): Promise<Heard>
  readonly url: string
}

export async function openDoors(
  { daemon, clock }: Stage,
  {
    missesPerSecond,
    ...given
  }: Partial<Pick<AppDeps, 'verifier' | 'reader' | 'changes'>> & {
    readonly missesPerSecond?: number
  } = {},
): Promise<Doors> {
  const api = publicApi({ reader: daemon.scan.reader, clock, ...given }, { missesPerSecond })
  const server = await HttpServer.listen({ host: '127.0.0.1', port: 0 }, api, clock)
  return {
    ask: (path, asked = {}) =>
      ask(server.url, path, { ...asked, headers: { host: 'names.example', ...asked.headers } }),
    url: server.url,
    [Symbol.asyncDispose]: () => server.close(0),
  }
}
