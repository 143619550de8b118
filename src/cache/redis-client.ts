import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { Random } from '../lib/random.ts'
import type { RedisTarget } from './redis-url.ts'

export type RedisClient = Redis | Cluster

const connectMs = 2_000
/** A connection that says nothing for so long while something is asked of it is replaced. */
const silentMs = 2_000
const firstRetryMs = 100
const maxRetryMs = 5_000

/**
 * A client that connects by itself, again and again, and keeps no command for later: what cannot be sent now fails now.
 *
 * @param blockMs how long its longest blocking command blocks.
 */
export function openRedis(target: RedisTarget, random: Random, blockMs = 0): RedisClient {
  const retry = (times: number) => {
    const ceiling = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(times, 10))
    return ceiling * (0.5 + random() / 2)
  }
  const common = {
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.tls ? { tls: {} } : {}),
    connectTimeout: connectMs,
    socketTimeout: silentMs + blockMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    // After a failover the old master answers so: the connection must find the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  } satisfies RedisOptions
  const single = { ...common, enableOfflineQueue: false, retryStrategy: retry } satisfies RedisOptions
  return quiet(connect())

  function connect(): RedisClient {
    switch (target.kind) {
      case 'single':
        return new Redis({ ...single, host: target.host, port: target.port, db: target.db })
      case 'sentinel': {
        const { sentinels, name, db, sentinelUsername, sentinelPassword } = target
        const client = new Redis({
          ...single,
          sentinels: sentinels.map((address) => ({ ...address })),
          name,
          db,
          ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
          ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
          ...(target.tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
          sentinelRetryStrategy: retry,
          sentinelCommandTimeout: connectMs,
        })
        for (const address of sentinels) leaveAtFailover(client, name, openSentinel(target, address, retry))
        return client
      }
      case 'cluster':
        return new Cluster(
          target.nodes.map((address) => ({ ...address })),
          {
            enableOfflineQueue: false,
            clusterRetryStrategy: retry,
            slotsRefreshTimeout: connectMs,
            redisOptions: common,
          },
        )
    }
  }
}

type SentinelTarget = Extract<RedisTarget, { kind: 'sentinel' }>

function openSentinel(
  { tls, sentinelUsername, sentinelPassword }: SentinelTarget,
  { host, port }: SentinelTarget['sentinels'][number],
  retryStrategy: (times: number) => number,
): Redis {
  return new Redis({
    host,
    port,
    ...(sentinelUsername === undefined ? {} : { username: sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(tls ? { tls: {} } : {}),
    connectTimeout: connectMs,
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy,
  })
}

/**
 * A master that hangs, or is cut off from the others, keeps its connections: its clients leave it when a Sentinel says that
 * another one has its place. (ioredis's own `failoverDetector` writes to the console when a Sentinel is lost.)
 */
function leaveAtFailover(client: Redis, name: string, sentinel: Redis): void {
  quiet(sentinel).on('message', (_channel: string, message: string) => {
    // One that is just connecting would be ended for good; it finds the new master by itself.
    const isConnected = client.status === 'connect' || client.status === 'ready'
    if (isConnected && message.startsWith(`${name} `)) client.disconnect(true)
  })
  sentinel.subscribe('+switch-master').catch(() => {})
  client.once('end', () => sentinel.disconnect())
}

// Without a listener ioredis writes failures to the console; its users see them as failed commands and status.
function quiet(client: RedisClient): RedisClient {
  return client.on('error', () => {})
}
