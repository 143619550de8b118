import { Child } from './child.ts'
import type { Bench } from './row.ts'

/** A value of the option `cache.times.<read>` under which nothing is cached. */
export const keepNothing = { fresh: '0s', stale: '0s', absent: '0s' }
/** A value of the option `cache.times.<read>` under which no answer is refreshed during a measurement. */
export const keepLong = { fresh: '1h', stale: '1h', absent: '1h' }

interface DaemonOptions {
  readonly read?: string
  readonly discover?: boolean
  readonly asksPerSecond?: number
  readonly fanout?: 'economical' | 'all'
  /** The section `receipts` of the configuration. */
  readonly receipts?: object
  /** The cores on which the daemon runs; by default the core `measured`. */
  readonly cores?: number | readonly number[] | undefined
}

/** Starts a daemon in a child process. It runs as on a real network, but its scans have loopback addresses. */
export async function startDaemonChild(
  { cores: bound }: Bench,
  seedUrls: readonly string[],
  times: object,
  {
    read = 'lookupAnsEntryByName',
    discover = true,
    asksPerSecond = 1_000_000,
    fanout = 'economical',
    receipts = {},
    cores = bound?.measured,
  }: DaemonOptions = {},
): Promise<Child> {
  return Child.start('daemon', cores, {
    network: 'remote',
    http: { port: 0, missesPerSecond: 'none' },
    operations: { port: 0 },
    scanClient: { seedUrls, discover, allowHttp: true, allowPrivate: true, asksPerSecond, fanout },
    cache: { times: { [read]: times } },
    receipts,
  })
}

export function lookupPath(name: string): string {
  return `/v0/scan-proxy/ans-entries/by-name/${encodeURIComponent(name)}`
}

/** Returns the path of the request that the daemon sends to each scan to look up this name. */
export function scanPath(name: string): string {
  return `/api/scan/v0/ans-entries/by-name/${encodeURIComponent(name)}`
}

/**
 * Returns a function that gives each caller its requests, one after the other. No request goes to two callers: if both
 * looked up one name at the same time, the daemon would ask the scans only once.
 */
export function ownShare(
  requests: readonly Buffer[],
  callers: number,
): (caller: number, count: number) => Buffer {
  const share = Math.floor(requests.length / callers)
  if (share === 0) throw new Error(`${requests.length} names are too few for ${callers} callers`)
  return (caller, count) => requests[caller + callers * (count % share)] as Buffer
}
