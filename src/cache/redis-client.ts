import { Cluster, Redis, type RedisOptions } from 'ioredis'
import type { Random } from '../lib/random.ts'
import { connectorTo, connectorToMaster, type Guarding, type SocketOptions } from './redis-socket.ts'
import type { RedisTarget } from './redis-url.ts'

export type RedisClient = Redis | Cluster

const connectMs = 2_000
/** The client replaces a connection on which a reply is due but no data arrives for this time. */
const silenceTimeoutMs = 2_000
const firstRetryMs = 100
const maxRetryMs = 5_000

export interface RedisClientOptions {
  readonly blockMs?: number
  readonly largestValue?: number
  readonly invalidReply?: (why: Error) => void
}

/**
 * Opens a Redis client that reconnects for ever and queues nothing: a command that cannot be sent
 * fails at once. An invalid reply closes the connection.
 */
export function openRedis(
  target: RedisTarget,
  random: Random,
  { blockMs = 0, largestValue = 0, invalidReply = () => {} }: RedisClientOptions = {},
): RedisClient {
  let strikes = 0
  const guarding: Guarding = {
    largestValue,
    closedByGuard: (why) => {
      strikes += 1
      invalidReply(why)
    },
  }
  // Every invalid reply makes all later delays longer. `strikes` is never reset, because a server
  // that sends invalid replies may still accept every new connection.
  const retry = (times: number) => {
    const ceiling = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(times + strikes, 10))
    return ceiling * (0.5 + random() / 2)
  }
  const opening = { guarding, retry, common: commonOptions(target, guarding, blockMs) }
  switch (target.kind) {
    case 'single':
      return quiet(openSingle(target, opening))
    case 'sentinel':
      return quiet(openMaster(target, opening))
    case 'cluster':
      return quiet(openCluster(target, opening))
  }
}

interface Opening {
  readonly guarding: Guarding
  readonly retry: (times: number) => number
  readonly common: ReturnType<typeof commonOptions>
}

function commonOptions({ username, password, tls }: RedisTarget, guarding: Guarding, blockMs: number) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
    Connector: connectorTo(guarding),
    protocol: 2,
    connectTimeout: connectMs,
    socketTimeout: silenceTimeoutMs + blockMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    // After a failover, the former master answers writes with a `READONLY` error. Reconnecting
    // finds the new master.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  } satisfies RedisOptions
}

type TargetOf<Kind extends RedisTarget['kind']> = Extract<RedisTarget, { kind: Kind }>

function openSingle({ host, port, db }: TargetOf<'single'>, { common, retry }: Opening): Redis {
  return new Redis({ ...common, enableOfflineQueue: false, retryStrategy: retry, host, port, db })
}

function openMaster(target: TargetOf<'sentinel'>, { common, retry, guarding }: Opening): Redis {
  const options = sentinelOptions(target, guarding)
  const { sentinels: addresses, name: group, db, tls } = target
  const noMasterFound = () => client.emit('error', new Error(`no Sentinel names a master of ${group}`))
  const sentinels = { addresses, group, tls, options, retryMs: retry, noMasterFound }
  const client: Redis = new Redis({
    ...common,
    enableOfflineQueue: false,
    retryStrategy: retry,
    db,
    Connector: connectorToMaster(sentinels, guarding),
  })
  for (const address of addresses)
    leaveAtFailover(client, group, new Redis({ ...options, ...address, retryStrategy: retry }))
  return client
}

function openCluster(target: TargetOf<'cluster'>, { common, retry }: Opening): Cluster {
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

function sentinelOptions(
  { tls, sentinelUsername, sentinelPassword }: TargetOf<'sentinel'>,
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

/**
 * Stops ioredis from opening a subscriber connection to a cluster. That connection would bypass the
 * connector that checks replies (`redis-socket.ts`).
 */
function withoutSubscriber(cluster: Cluster): void {
  const none = { start: () => {}, stop: () => {}, getInstance: () => null }
  Object.defineProperty(cluster, 'subscriber', { value: none })
}

/**
 * Disconnects the client when a Sentinel announces another master. Otherwise the client would stay
 * connected to an old master that hangs. The `failoverDetector` of ioredis writes to the console,
 * so it is not used.
 */
function leaveAtFailover(client: Redis, name: string, sentinel: Redis): void {
  quiet(sentinel).on('message', (_channel: string, message: string) => {
    // A client that is still connecting finds the new master by itself. After `disconnect` it would
    // never connect again.
    const isConnected = client.status === 'connect' || client.status === 'ready'
    if (isConnected && message.startsWith(`${name} `)) client.disconnect(true)
  })
  sentinel.subscribe('+switch-master').catch(() => {})
  client.once('end', () => sentinel.disconnect())
}

// Without a listener, ioredis writes errors to the console. Ignoring an error is safe, because
// commands fail and the client's status changes.
function quiet(client: RedisClient): RedisClient {
  return client.on('error', () => {})
}
