import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { Random } from '../lib/random.ts'
import { connectorTo, connectorToMaster, type Guarding, type SocketOptions } from './redis-socket.ts'
import type { RedisTarget } from './redis-url.ts'

export type RedisClient = Redis | Cluster

const connectMs = 2_000
/** A connection that says nothing for so long while something is asked of it is replaced. */
const silentMs = 2_000
const firstRetryMs = 100
const maxRetryMs = 5_000

export interface RedisClientOptions {
  /** How long its longest blocking command blocks. */
  readonly blockMs?: number
  /** Bytes of the largest value that it asks for. */
  readonly largestValue?: number
  /** Told why a connection was ended whose replies were none to what was asked. */
  readonly outOfStep?: (why: Error) => void
}

/**
 * A client that connects by itself, again and again, and keeps no command for later: what cannot be sent now fails now.
 * A connection that answers what no such command can have as its answer is ended.
 */
export function openRedis(
  target: RedisTarget,
  random: Random,
  { blockMs = 0, largestValue = 0, outOfStep = () => {} }: RedisClientOptions = {},
): RedisClient {
  let strikes = 0
  const guarding: Guarding = {
    largestValue,
    ended: (why) => {
      strikes += 1
      outOfStep(why)
    },
  }
  // A connection that gets ready does not make up for those that were ended before.
  const retry = (times: number) => {
    const ceiling = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(times + strikes, 10))
    return ceiling * (0.5 + random() / 2)
  }
  const common = {
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.tls ? { tls: {} } : {}),
    Connector: connectorTo(guarding),
    protocol: 2,
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
        const options = sentinelOptions(target, guarding)
        const { sentinels: addresses, name: group, db, tls } = target
        const sentinels = { addresses, group, tls, options, retryMs: retry }
        const client = new Redis({ ...single, db, Connector: connectorToMaster(sentinels, guarding) })
        for (const address of addresses)
          leaveAtFailover(client, group, new Redis({ ...options, ...address, retryStrategy: retry }))
        return client
      }
      case 'cluster': {
        const nodes = target.nodes.map((address) => ({ ...address }))
        const cluster = new Cluster(nodes, {
          lazyConnect: true,
          enableOfflineQueue: false,
          clusterRetryStrategy: retry,
          slotsRefreshTimeout: connectMs,
          redisOptions: common,
        })
        withoutSubscriber(cluster)
        cluster.connect().catch(() => {})
        return cluster
      }
    }
  }
}

type SentinelTarget = Extract<RedisTarget, { kind: 'sentinel' }>

/** Of a client of a Sentinel. */
function sentinelOptions(
  { tls, sentinelUsername, sentinelPassword }: SentinelTarget,
  guarding: Guarding,
): SocketOptions {
  return {
    ...(sentinelUsername === undefined ? {} : { username: sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
    ...(tls ? { tls: {} } : {}),
    Connector: connectorTo(guarding),
    protocol: 2,
    connectTimeout: connectMs,
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
    disableClientInfo: true,
  }
}

/** The connection that a cluster keeps for subscriptions takes no connector, and nothing is subscribed to. */
function withoutSubscriber(cluster: Cluster): void {
  const none = { start: () => {}, stop: () => {}, getInstance: () => null }
  Object.defineProperty(cluster, 'subscriber', { value: none })
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
