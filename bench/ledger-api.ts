import { systemClock as clock } from '../src/base/lib/clock.ts'
import { silentLogger as logger } from '../src/base/telemetry/logger.ts'
import { LedgerApi as Api } from '../src/registry/ledger/api/ledger-api.ts'
import { EmbeddedLedger } from '../src/registry/ledger/embedded/embedded-ledger.ts'
import { ledgerApiRoutes } from '../src/server/http/routes/ledger-api.ts'
import { ledgerStreams } from '../src/server/http/routes/ledger-streams.ts'
import { HttpServer } from '../src/server/http/server.ts'
import { WsSockets } from '../src/server/http/sockets.ws.ts'
import { publicApi } from '../test/http/public-api.ts'

/** An update format of the JSON Ledger API that selects all events of all parties, without blobs. */
export const everything = {
  includeTransactions: {
    eventFormat: { filtersForAnyParty: { cumulative: [] } },
    transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
  },
}

/** A ledger, and a server that serves its JSON Ledger API as the daemon does. Every token may read as any party. */
export interface LedgerApi extends AsyncDisposable {
  readonly ledger: EmbeddedLedger
  /** The URL of the server, for example `http://127.0.0.1:8080`. */
  readonly url: string
}

/**
 * Opens a ledger and serves its JSON Ledger API.
 * @param file the ledger's file; undefined for a ledger in memory.
 * @param told called at each commit, before the readers of updates are served.
 */
export async function openLedgerApi(
  file: string | undefined,
  told: () => void = () => {},
): Promise<LedgerApi> {
  await using opened = new AsyncDisposableStack()
  const ledger = opened.use(new EmbeddedLedger({ file }, { clock }))
  ledger.watch(told)
  const deprecatedFields = 'updates'
  const reader = { kind: 'reader', userId: 'reader', party: undefined, readsAnyParty: true } as const
  const access = async () => ({ ...reader, expiresAt: undefined })
  const deps = { ledger, clock, tokenClock: clock, access }
  const service = opened.use(new Api({}, deps))
  const api = publicApi({
    ledgerApiRoutes: ledgerApiRoutes({ maxListElements: 200, deprecatedFields }, { service, clock }),
    clock,
  })
  const sockets = new WsSockets(ledgerStreams({ service, logger, deprecatedFields }), {
    clock,
    refuse: api.refuse,
    tellSlow() {},
  })
  const address = { host: '127.0.0.1', port: 0 }
  const server = await HttpServer.listen(address, { ...api, upgrades: sockets }, clock)
  opened.defer(() => server.close(0))
  const held = opened.move()
  return { ledger, url: server.url, [Symbol.asyncDispose]: () => held.disposeAsync() }
}
