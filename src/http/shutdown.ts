import type { Config } from '../config/resolve.ts'
import { passing } from '../lib/passing.ts'
import type { ReadPath } from '../scan/open.ts'
import type { Base } from '../telemetry/open.ts'
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
