import { Redis } from 'ioredis'
import { eventually, whileElecting } from './eventually.ts'
import { freePort } from './free-port.ts'
import { type RedisServer, startRedisServer } from './redis.ts'

/**
 * A Redis master and a replica, watched by three Sentinels. If the master does not answer for a second, the Sentinels
 * elect a new one.
 */
export interface SentinelGroup extends AsyncDisposable {
  /** In the form of the option `cache.redis.url`. */
  readonly url: string
  readonly servers: readonly [master: RedisServer, replica: RedisServer]
  readonly sentinels: readonly RedisServer[]
  masterPort(): Promise<number>
}

const group = 'main'

export async function startSentinels(): Promise<SentinelGroup> {
  await using opened = new AsyncDisposableStack()
  const master = opened.use(await startRedisServer({ settings: { 'repl-diskless-sync-delay': '0' } }))
  const replica = opened.use(await startRedisServer({ settings: { replicaof: `127.0.0.1 ${master.port}` } }))
  await asked(replica, (client) =>
    eventually(
      async () => (await client.info('replication')).includes('master_link_status:up'),
      whileElecting,
    ),
  )
  const sentinels = await Promise.all(
    [1, 2, 3].map(async () =>
      opened.use(await startRedisServer({ sentinel: true, settings: watching(master.port) })),
    ),
  )
  for (const sentinel of sentinels) {
    await asked(sentinel, (client) =>
      eventually(async () => {
        const [state] = (await client.call('SENTINEL', 'MASTERS')) as string[][]
        const fieldOf = (name: string) => state?.[state.indexOf(name) + 1]
        return fieldOf('num-slaves') === '1' && fieldOf('num-other-sentinels') === '2'
      }, whileElecting),
    )
  }
  const held = opened.move()
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join()}/${group}`,
    servers: [master, replica],
    sentinels,
    masterPort: () =>
      asked(sentinels[0] as RedisServer, async (client) => {
        const [, port] = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', group)) as string[]
        return Number(port)
      }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

function watching(port: number): Readonly<Record<string, string>> {
  return {
    [`sentinel monitor ${group}`]: `127.0.0.1 ${port} 2`,
    [`sentinel down-after-milliseconds ${group}`]: '1000',
    [`sentinel failover-timeout ${group}`]: '3000',
  }
}

export interface RedisCluster extends AsyncDisposable {
  /** In the form of the option `cache.redis.url`. The URL names one of the nodes. */
  readonly url: string
  readonly nodes: readonly RedisServer[]
  nodeOf(key: string): Promise<RedisServer>
}

const slots = 16_384
const share = Math.ceil(slots / 3)

/** The cluster bus gets an explicit port, because the default is 10,000 above the node's port and may be too high. */
function clusterSettings(busPort: number): Readonly<Record<string, string>> {
  return { 'cluster-enabled': 'yes', 'cluster-announce-ip': '127.0.0.1', 'cluster-port': String(busPort) }
}

export async function startCluster(): Promise<RedisCluster> {
  await using opened = new AsyncDisposableStack()
  const busPorts = await Promise.all([freePort(), freePort(), freePort()])
  const nodes = await Promise.all(
    busPorts.map(async (busPort) => {
      const settings = { ...clusterSettings(busPort), 'cluster-node-timeout': '1000' }
      return opened.use(await startRedisServer({ settings }))
    }),
  )
  const [first] = nodes as [RedisServer, ...RedisServer[]]
  for (const [index, node] of nodes.entries()) {
    await asked(node, async (client) => {
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
      await client.cluster('ADDSLOTSRANGE', index * share, Math.min(slots, (index + 1) * share) - 1)
      await client.call('CLUSTER', 'MEET', '127.0.0.1', String(first.port), String(busPorts[0]))
    })
  }
  for (const node of nodes) {
    await asked(node, (client) =>
      eventually(async () => {
        const info = (await client.call('CLUSTER', 'INFO')) as string
        return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')
      }, whileElecting),
    )
  }
  const held = opened.move()
  return {
    url: `redis+cluster://127.0.0.1:${first.port}`,
    nodes,
    nodeOf: async (key) => {
      const slot = await asked(first, (client) => client.cluster('KEYSLOT', key))
      return nodes[Math.floor(slot / share)] as RedisServer
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

export async function asked<T>({ url }: RedisServer, ask: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url)
  try {
    return await ask(client)
  } finally {
    client.disconnect()
  }
}
