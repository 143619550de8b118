import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { systemClock } from '../../base/lib/clock.ts'
import type { Random } from '../../base/lib/random.ts'
import type { RedisTarget } from '../../base/lib/redis-url.ts'

export type RedisClient = Redis | Cluster

const connectMs = 2_000
/** The client replaces a connection on which a reply is due but no data arrives for this time. */
const silenceTimeoutMs = 2_000
const closingMs = 500
const firstRetryMs = 100
const maxRetryMs = 5_000
/** ioredis cannot cancel its pause between two rounds of Sentinels, so a long one would delay the exit. */
const sentinelRetryMs = 1_000

export interface RedisClientOptions {
  readonly blockMs?: number
  /** Called before the client leaves a Redis that became a replica, to look for the new master. */
  readonly leaving?: () => void
}

/**
 * Opens a Redis client that reconnects for ever and queues nothing: a command that cannot be sent
 * fails at once.
 */
export function openRedis(
  target: RedisTarget,
  random: Random,
  { blockMs = 0, leaving = () => {} }: RedisClientOptions = {},
): RedisClient {
  const retry = (times: number) => {
    const ceiling = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(times, 10))
    return ceiling * (0.5 + random() / 2)
  }
  const common = commonOptions(target, { blockMs, leaving })
  if (target.kind === 'cluster') return openCluster(target, common, retry)
  const options = { ...common, enableOfflineQueue: false, retryStrategy: retry, db: target.db }
  const client = new Redis(
    target.kind === 'single'
      ? { ...options, host: target.host, port: target.port }
      : { ...options, ...sentinelOptions(target, retry) },
  )
  return quiet(client)
}

type TargetOf<Kind extends RedisTarget['kind']> = Extract<RedisTarget, { kind: Kind }>

function commonOptions(
  { username, password, tls }: RedisTarget,
  { blockMs, leaving }: Required<RedisClientOptions>,
) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
    protocol: 2,
    connectTimeout: connectMs,
    disconnectTimeout: closingMs,
    socketTimeout: silenceTimeoutMs + blockMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    reconnectOnError: findsNewMaster(leaving),
  } satisfies RedisOptions
}

/**
 * After a failover, the former master answers writes with a `READONLY` error, and a new connection
 * finds the new master. If there is none, reconnecting again and again would only interrupt reads.
 */
function findsNewMaster(leaving: () => void): (error: Error) => boolean {
  let left = Number.NEGATIVE_INFINITY
  return (error) => {
    const now = systemClock.now()
    if (!error.message.startsWith('READONLY') || now - left < maxRetryMs) return false
    left = now
    leaving()
    return true
  }
}

function sentinelOptions(
  { tls, sentinels, name, sentinelUsername, sentinelPassword }: TargetOf<'sentinel'>,
  retry: (times: number) => number,
) {
  return {
    sentinels: sentinels.map((address) => ({ ...address })),
    name,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(tls ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    sentinelCommandTimeout: connectMs,
    sentinelRetryStrategy: (times: number) => Math.min(sentinelRetryMs, retry(times)),
    updateSentinels: false,
  } satisfies RedisOptions
}

function openCluster(
  { nodes }: TargetOf<'cluster'>,
  common: ReturnType<typeof commonOptions>,
  retry: (times: number) => number,
): Cluster {
  const cluster = new Cluster(
    nodes.map((address) => ({ ...address })),
    {
      enableOfflineQueue: false,
      clusterRetryStrategy: retry,
      slotsRefreshTimeout: connectMs,
      redisOptions: common,
    },
  )
  return quiet(cluster)
}

// Without a listener, ioredis writes errors to the console. Ignoring an error is safe, because
// commands fail and the client's status changes.
function quiet<Client extends RedisClient>(client: Client): Client {
  client.on('error', () => {})
  return client
}
