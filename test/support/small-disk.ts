import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A place for files that is soon full. A test can take the rest of the room, and add room. */
export interface SmallDisk extends AsyncDisposable {
  readonly file: string
  /** The program, with its first arguments, that runs a daemon under the limit. */
  readonly program: readonly string[]
  fill(pid: number): Promise<void>
  makeRoom(pid: number): Promise<void>
  read(): Promise<string>
}

type Way = readonly [what: string, open: typeof limited]

/** Resolves with the ways in which this machine can limit a disk. The first way works on every machine. */
export async function smallDisks(): Promise<readonly [Way, ...Way[]]> {
  const everywhere = ['files of limited size (EFBIG)', limited] as const
  return (await mounts()) ? [everywhere, ['a file system of its own (ENOSPC)', mounted]] : [everywhere]
}

async function limited(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'small-'))
  let limit = String(bytes)
  const limitTo = async (most: string, pid: number) => {
    limit = most
    await run('prlimit', ['--pid', String(pid), `--fsize=${most}:`])
  }
  return {
    file: join(folder, 'ledger.db'),
    get program() {
      return ['prlimit', `--fsize=${limit}:`]
    },
    fill: (pid) => limitTo('0', pid),
    makeRoom: (pid) => limitTo('unlimited', pid),
    read: () => readFile(join(folder, 'ledger.db'), 'utf8'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

// In new namespaces for users and mounts, a process may mount file systems without being root. The mount ends with the
// last process in these namespaces.
const isRoot = process.getuid?.() === 0
const unshare = isRoot ? ['--mount'] : ['--map-root-user', '--mount']
const enter = isRoot ? ['--mount'] : ['--user', '--preserve-credentials', '--mount']

async function mounts(): Promise<boolean> {
  try {
    await run('unshare', [...unshare, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])
    await run('nsenter', ['--version'])
    return true
  } catch {
    return false
  }
}

/**
 * Mounts a file system of twice this many bytes. Another file takes half of them, until `makeRoom` deletes that file.
 */
async function mounted(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'small-'))
  const disk = join(folder, 'disk')
  const other = join(disk, 'of-somebody-else')
  await mkdir(disk)
  const script =
    'mount -t tmpfs -o size="$2" tmpfs "$0" && head -c "$3" /dev/zero > "$1" && echo mounted && exec cat'
  const args = [disk, other, String(2 * bytes), String(bytes)]
  const holder = spawn('unshare', [...unshare, 'sh', '-c', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  const inside = ['--target', String(holder.pid), ...enter]
  const file = join(disk, 'ledger.db')
  return {
    file,
    program: ['nsenter', ...inside],
    async fill() {
      await run('nsenter', [...inside, 'sh', '-c', 'cat /dev/zero >> "$0" 2> /dev/null || true', other])
    },
    async makeRoom() {
      await run('nsenter', [...inside, 'rm', other])
    },
    read: async () => (await run('nsenter', [...inside, 'cat', file])).stdout,
    async [Symbol.asyncDispose]() {
      await end(holder)
      await rm(folder, { recursive: true })
    },
  }
}

async function end(holder: ChildProcess): Promise<void> {
  const closed = once(holder, 'close')
  holder.stdin?.end()
  await closed
}
