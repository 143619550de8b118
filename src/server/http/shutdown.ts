import type { Config } from '../../base/config/resolve.ts'
import { passing } from '../../base/lib/passing.ts'
import type { Base } from '../../base/telemetry/open.ts'
import type { ReadPath } from '../../core/scan/open.ts'
import type { HttpServer } from './server.ts'

export interface ShutdownDeps extends Pick<Base, 'realClock' | 'events'> {
  readonly scan: Pick<ReadPath, 'cut'>
}

/** The readiness check fails for `http.shutdownDelay` before the addresses close. */
export async function shutDown(
  addresses: { readonly http: HttpServer; stopping(): void },
  { http: { shutdownDelayMs, shutdownTimeoutMs } }: Config,
  { realClock, events, scan }: ShutdownDeps,
  reason: string,
): Promise<void> {
  addresses.stopping()
  events.shuttingDown(reason, addresses.http.requestsInProgress)
  if (shutdownDelayMs > 0) await passing(shutdownDelayMs, realClock)
  await addresses.http.close(shutdownTimeoutMs, (error) => scan.cut(error))
}
