import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { childEnv } from '../support/child-env.ts'
import { eventually, soonerThan } from '../support/eventually.ts'
import { freePorts } from '../support/free-port.ts'
import { newFolder } from '../support/new-folder.ts'
import { DaemonProcess, type Ended } from '../support/process.ts'
import { smallDisks } from '../support/small-disk.ts'
import { command } from './command.ts'

const run = promisify(execFile)
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const manyLookups = 2_500
const disks = await smallDisks()

const folder = newFolder(afterAll)

interface LogStatus {
  readonly linesLost: number
  readonly because?: string
}

/** A daemon whose standard output nobody reads here. */
class Unheard implements AsyncDisposable {
  readonly #process: DaemonProcess
  readonly #http: string
  readonly #operations: string

  private constructor(process: DaemonProcess, port: number) {
    this.#process = process
    this.#http = `http://127.0.0.1:${port}`
    this.#operations = `http://127.0.0.1:${port + 1}`
  }

  static async start(redirection: string, program: readonly string[] = []): Promise<Unheard> {
    const port = await freePorts(2)
    const shell = [...program, 'bash', '-c', `exec "$0" "$@" ${redirection}`]
    const env = { HTTP_PORT: String(port), OPERATIONS_PORT: String(port + 1), LOG_LEVEL: 'debug' }
    const unheard = new Unheard(await DaemonProcess.startUnder(shell, env), port)
    await eventually(() => unheard.#answers('/readyz'), { limitMs: 60_000 })
    return unheard
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Each lookup writes two lines of the log. */
  async lookUp(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      const { status } = await fetch(`${this.#http}/v0/scan-proxy/ans-entries/by-name/dso.cns`, {
        signal: AbortSignal.timeout(5_000),
      })
      expect(status).toBe(200)
    }
  }

  async log(): Promise<LogStatus> {
    const status = await fetch(`${this.#operations}/status`, { signal: AbortSignal.timeout(5_000) })
    return ((await status.json()) as { log: LogStatus }).log
  }

  async linesLost(): Promise<number> {
    const scrape = await fetch(`${this.#operations}/metrics`)
    return Number(/^scan_proxy_log_lines_lost_total (\d+)$/m.exec(await scrape.text())?.[1])
  }

  async reloads(): Promise<void> {
    this.#process.signal('SIGHUP')
    await this.lookUp(1)
  }

  async stopped(): Promise<Ended> {
    this.#process.signal('SIGTERM')
    return await soonerThan(10_000, this.#process.ended)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }

  async #answers(path: string): Promise<boolean> {
    try {
      return (await fetch(this.#operations + path)).ok
    } catch {
      return false
    }
  }
}

async function fifo(name: string): Promise<{ readonly path: string; readonly reader: FileHandle }> {
  const path = join(folder, name)
  await run('mkfifo', [path])
  return { path, reader: await open(path, constants.O_RDONLY | constants.O_NONBLOCK) }
}

async function readAll({ reader }: { readonly reader: FileHandle }): Promise<string> {
  const bytes = Buffer.alloc(1_048_576)
  let text = ''
  try {
    for (;;) {
      const { bytesRead } = await reader.read(bytes)
      if (bytesRead === 0) return text
      text += bytes.toString('utf8', 0, bytesRead)
    }
  } catch {
    return text
  }
}

/** Returns the sum that the lines about losses in this log name. */
function linesLostBy(log: string): number {
  return log
    .split('\n')
    .filter((line) => line.includes('"msg":"lines of this log were lost"'))
    .reduce((sum, line) => sum + JSON.parse(line).linesLost, 0)
}

describe('a daemon whose log cannot be written answers, reloads, counts the lines that it loses, and ends at SIGTERM', () => {
  test('on a device that is full', async () => {
    await using daemon = await Unheard.start('> /dev/full')
    await daemon.lookUp(20)
    await daemon.reloads()
    await eventually(async () => (await daemon.log()).linesLost > 20)
    expect(await daemon.log()).toMatchObject({ because: expect.stringContaining('ENOSPC') })
    expect(await daemon.linesLost()).toBeGreaterThan(20)
    expect(await daemon.stopped()).toEqual({ code: 0, signal: null, errors: [] })
  })

  test('on a pipe whose reader has ended', async () => {
    const { path, reader } = await fifo('ended')
    await using daemon = await Unheard.start(`> ${path}`)
    await reader.close()
    await daemon.lookUp(20)
    await daemon.reloads()
    expect(await daemon.log()).toMatchObject({ because: expect.stringContaining('EPIPE') })
    expect(await daemon.stopped()).toEqual({ code: 0, signal: null, errors: [] })
  })

  test('on a pipe that nobody reads, and writes again when somebody does', async () => {
    const unread = await fifo('unread')
    await using _reader = unread.reader
    await using daemon = await Unheard.start(`> ${unread.path}`)
    while ((await daemon.log()).linesLost === 0) await daemon.lookUp(manyLookups)
    await daemon.reloads()
    expect(await daemon.log()).toMatchObject({ because: 'nobody reads standard output' })
    let heard = ''
    await eventually(async () => {
      heard += await readAll(unread)
      return linesLostBy(heard) === (await daemon.log()).linesLost
    })
    expect(await daemon.log()).not.toHaveProperty('because')
    while ((await daemon.log()).because === undefined) await daemon.lookUp(manyLookups)
    expect(await daemon.stopped()).toEqual({ code: 0, signal: null, errors: [] })
  })

  test.for(disks)(
    'on %s that fill while it runs, and writes again when there is room',
    async ([, openDisk]) => {
      await using disk = await openDisk(40_000)
      await using daemon = await Unheard.start(`> ${disk.file}`, disk.program)
      await daemon.lookUp(200)
      await daemon.reloads()
      expect(await daemon.log()).toMatchObject({ because: expect.stringMatching(/EFBIG|ENOSPC/) })
      await disk.makeRoom(daemon.pid)
      await daemon.lookUp(20)
      await eventually(async () => (await daemon.log()).because === undefined)
      expect(await daemon.stopped()).toEqual({ code: 0, signal: null, errors: [] })
      const lines = (await disk.read()).trimEnd().split('\n')
      const broken = lines.filter((line) => !line.endsWith('}'))
      expect(broken.length).toBeLessThanOrEqual(1)
      expect(lines.at(-1)).toContain('"msg":"stopped after')
      expect(linesLostBy(lines.join('\n'))).toBeGreaterThan(10)
    },
  )
})

test('a daemon in a terminal that its user has stopped (CTRL-S) answers, and ends at CTRL-C without a stack trace', async () => {
  const port = await freePorts(2)
  const env = { HTTP_PORT: String(port), OPERATIONS_PORT: String(port + 1), LOG_LEVEL: 'debug' }
  const words = `exec '${process.execPath}' '${main}' serve`
  const [program, ...args] = ['script', '-qefc', words, '/dev/null'] as const
  const child = spawn(program, args, { env: { ...childEnv, ...env } })
  const ended = once(child, 'close')
  let shown = ''
  child.stdout.on('data', (text) => {
    shown += text
  })
  await eventually(() => shown.includes('page  http'), { limitMs: 60_000 })
  child.stdin.write('\x13')
  for (let time = 0; time < 500; time++) {
    const signal = AbortSignal.timeout(5_000)
    const answer = await fetch(`http://127.0.0.1:${port}/v0/scan-proxy/ans-entries/by-name/dso.cns`, {
      signal,
    })
    expect(answer.status).toBe(200)
  }
  child.stdin.write('\x03')
  expect(await soonerThan(10_000, ended)).toEqual([0, null])
  expect(shown).not.toContain('    at ')
})

describe.concurrent('a command', () => {
  const words = ['--version', '--help', 'check-config', 'token --user alice']

  test.for(words)(
    '`%s` ends with 74, and without a stack trace, where standard output is full',
    async (text) => {
      expect(await commandTo('> /dev/full', text)).toEqual({
        code: 74,
        out: '',
        err: 'error: standard output cannot be written: ENOSPC: no space left on device, write\n',
      })
      expect(await commandTo('> /dev/full 2>&1', text)).toEqual({ code: 74, out: '', err: '' })
    },
  )

  test.for([
    ['check-config', 0],
    ['nosuch', 64],
    ['status --operations http://127.0.0.1:1', 69],
  ] as const)('`%s` ends with %i also where standard error is full', async ([text, code]) => {
    expect(await commandTo('2> /dev/full', text)).toMatchObject({ code, err: '' })
  })
})

function commandTo(redirection: string, words: string) {
  return command(words.split(' '), {}, { program: ['bash', '-c', `exec "$0" "$@" ${redirection}`] })
}
