import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { childEnv } from './child-env.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly errors: readonly string[]
}

/** A daemon in its own process and an empty folder. By default it uses free ports and no ledger. */
export class DaemonProcess implements AsyncDisposable {
  readonly lines: Record<string, unknown>[] = []
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #watchers = new Set<() => void>()

  private constructor(folder: string, command: readonly string[], env: Readonly<Record<string, string>>) {
    this.#folder = folder
    const [file = '', ...args] = command
    this.#child = spawn(file, args, {
      cwd: folder,
      env: {
        ...childEnv,
        HTTP_PORT: '0',
        OPERATIONS_PORT: '0',
        LEDGER_DRIVER: 'none',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const errors: string[] = []
    const { stdout, stderr } = this.#child
    if (stdout === null || stderr === null) throw new Error('the child has no pipes')
    createInterface(stdout).on('line', (line) => {
      this.lines.push(JSON.parse(line))
      this.#look()
    })
    createInterface(stderr).on('line', (line) => errors.push(line))
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      this.#look()
      return { code, signal, errors }
    })
  }

  static async start(
    env: Readonly<Record<string, string>> = {},
    ...args: readonly string[]
  ): Promise<DaemonProcess> {
    return DaemonProcess.startUnder([], env, ...args)
  }

  /** Starts a daemon through another program, such as `prlimit`, which runs the command that follows its own arguments. */
  static async startUnder(
    program: readonly string[],
    env: Readonly<Record<string, string>> = {},
    ...args: readonly string[]
  ): Promise<DaemonProcess> {
    const command = [...program, process.execPath, main, 'serve', ...args]
    return new DaemonProcess(await mkdtemp(join(tmpdir(), 'daemon-')), command, env)
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the process did not start')
    return this.#child.pid
  }

  async listening(): Promise<{
    readonly http: string
    readonly operations: string
    readonly control: string
  }> {
    const line = await this.said('listening')
    return {
      http: String(line['http']),
      operations: String(line['operations']),
      control: String(line['control']),
    }
  }

  /**
   * Resolves with the first of `lines` that has this message, from the index `after` on. Rejects if the process ends
   * without such a line.
   */
  said(msg: string, after = 0): Promise<Record<string, unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>()
    const look = () => {
      const line = this.lines.find((line, index) => index >= after && line['msg'] === msg)
      if (line === undefined) return
      this.#watchers.delete(look)
      resolve(line)
    }
    this.#watchers.add(look)
    look()
    void this.ended.then(({ code, errors }) => reject(new Error(`ended with ${code}: ${errors.join('; ')}`)))
    return promise
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
    await rm(this.#folder, { recursive: true, force: true })
  }

  #look(): void {
    for (const look of this.#watchers) look()
  }
}
