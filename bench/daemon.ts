import { Child } from './child.ts'
import type { Bench } from './row.ts'

/** `cache.times` under which nothing is kept. */
export const keepNothing = { fresh: '0s', stale: '0s', absent: '0s' }
/** `cache.times` under which a measurement meets no refresh. */
export const keepLong = { fresh: '1h', stale: '1h', absent: '1h' }

interface DaemonOptions {
  readonly read?: string
  readonly discover?: boolean
  readonly asksPerSecond?: number
  /** The measured one where it is left out. */
  readonly cores?: number | readonly number[] | undefined
}

/** A daemon as it runs against a real network, except that its scans are on loopback. */
export async function startDaemonChild(
  { cores: bound }: Bench,
  seedUrls: readonly string[],
  times: object,
  {
    read = 'lookupAnsEntryByName',
    discover = true,
    asksPerSecond = 1_000_000,
    cores = bound?.measured,
  }: DaemonOptions = {},
): Promise<Child> {
  return Child.start('daemon', cores, {
    network: 'remote',
    http: { port: 0, missesPerSecond: 'none' },
    operations: { port: 0 },
    scanClient: { seedUrls, discover, allowHttp: true, allowPrivate: true, asksPerSecond },
    cache: { times: { [read]: times } },
  })
}

export function lookupPath(name: string): string {
  return `/v0/scan-proxy/ans-entries/by-name/${encodeURIComponent(name)}`
}

/** What each scan is asked for it. */
export function scanPath(name: string): string {
  return `/api/scan/v0/ans-entries/by-name/${encodeURIComponent(name)}`
}

/** Requests in turn for each of so many callers, none of which asks for the same as another: they would share a lookup. */
export function ownShare(
  requests: readonly Buffer[],
  callers: number,
): (caller: number, count: number) => Buffer {
  const share = Math.floor(requests.length / callers)
  if (share === 0) throw new Error(`${requests.length} names are too few for ${callers} callers`)
  return (caller, count) => requests[caller + callers * (count % share)] as Buffer
}
