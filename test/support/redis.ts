import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

/** A Redis that other programs may use too, and a prefix for the keys of one test. */
export interface SharedRedis extends AsyncDisposable {
  readonly url: string
  readonly prefix: string
  /** Returns another prefix each time, which begins with that of the test. */
  newPrefix(): string
  readonly client: Redis
}

/**
 * Uses the Redis at `REDIS_URL`, or at 127.0.0.1:6379, or else starts a server. Disposing deletes the keys with the
 * prefix.
 */
export async function sharedRedis(): Promise<SharedRedis> {
  const own = await findRedis()
  const url = typeof own === 'string' ? own : own.url
  const client = new Redis(url)
  const prefix = `test-${randomBytes(8).toString('hex')}`
  let opened = 0
  return {
    url,
    prefix,
    newPrefix: () => `${prefix}-${opened++}`,
    client,
    async [Symbol.asyncDispose]() {
      for await (const keys of client.scanStream({ match: `bft:${prefix}*`, count: 1000 })) {
        if (keys.length > 0) await client.unlink(...(keys as string[]))
      }
      client.disconnect()
      if (typeof own !== 'string') await own[Symbol.asyncDispose]()
    },
  }
}

async function findRedis(): Promise<string | RedisServer> {
  const configured = process.env['REDIS_URL']
  if (configured !== undefined && configured !== '') return configured
  const local = 'redis://127.0.0.1:6379'
  return (await answers(local)) ? local : await startRedisServer()
}

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.ping()) === 'PONG'
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}

export interface RedisServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Kills the server, as in a crash. Its data is lost. */
  stop(): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
}

export interface RedisServerOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly sentinel?: boolean
  readonly started?: boolean
}

export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { settings = {}, sentinel = false, started = true } = options
  await ensureInstalled()
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  let running: Running | undefined
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    port,
    async start() {
      running ??= await launch(folder, sentinel, {
        port: String(port),
        bind: '127.0.0.1',
        dir: folder,
        ...(sentinel ? {} : { save: '', appendonly: 'no' }),
        ...settings,
      })
    },
    async stop() {
      await running?.stop()
      running = undefined
    },
    freeze: () => running?.signal('SIGSTOP'),
    thaw: () => running?.signal('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  if (started) await server.start()
  return server
}

interface Running {
  signal(name: NodeJS.Signals): void
  stop(): Promise<void>
}

// Runs a server that ends together with this process, even if this process is killed. The process holds the other end
// of the script's standard input. When that end closes, `cat` ends and the script kills the server.
const watched = `exec 3<&0
redis-server "$@" 2>&1 3<&- &
server=$!
echo "pid $server"
(cat <&3; kill -KILL $server) >/dev/null &
wait $server`

async function launch(
  folder: string,
  sentinel: boolean,
  settings: Readonly<Record<string, string>>,
): Promise<Running> {
  const conf = join(folder, 'redis.conf')
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value === '' ? '""' : value}`)
  await writeFile(conf, `${lines.join('\n')}\n`)
  const child = spawn('sh', ['-c', watched, 'sh', conf, ...(sentinel ? ['--sentinel'] : [])], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  const said: string[] = []
  const ready = Promise.withResolvers<void>()
  let pid = 0
  createInterface(child.stdout).on('line', (line) => {
    said.push(line)
    const started = /^pid (\d+)$/.exec(line)
    if (started !== null) pid = Number(started[1])
    if (/Ready to accept connections|Sentinel ID is/.test(line)) ready.resolve()
  })
  void exited.then(() => ready.reject(new Error(`redis-server ended: ${said.slice(-5).join('; ')}`)))
  await ready.promise
  return {
    signal: (name) => process.kill(pid, name),
    async stop() {
      child.stdin.end()
      await exited
    },
  }
}

let installed: Promise<void> | undefined

function ensureInstalled(): Promise<void> {
  installed ??= install()
  return installed
}

async function install(): Promise<void> {
  if (await has('redis-server', ['--version'])) return
  const onDebian = await access('/etc/debian_version').then(
    () => true,
    () => false,
  )
  if (process.getuid?.() !== 0 || !onDebian) {
    throw new Error('The tests need a redis-server: install it with "sudo apt-get install redis-server".')
  }
  process.stderr.write('No redis-server found: installing it with apt-get install redis-server.\n')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-q', '-o', 'DPkg::Lock::Timeout=120'], { env })
  await run(
    'apt-get',
    ['install', '-qy', '-o', 'DPkg::Lock::Timeout=120', '--no-install-recommends', 'redis-server'],
    { env },
  )
}

async function has(command: string, args: readonly string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  )
}
