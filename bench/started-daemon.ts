import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { environmentAtStart, flagsAtStart } from './child.ts'
import { type Cores, onCores } from './cores.ts'

const top = fileURLToPath(new URL('..', import.meta.url))

/** A file to run, and the folder in which Node stores its compiled code. */
export interface Program {
  readonly file: string
  readonly compileCache: string
}

/**
 * The two forms in which the daemon runs, from source and packed, and the bare process to which their starts are
 * compared. Disposing the object deletes the packed form and all compiled code.
 */
export class Programs implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bft-scan-proxy-bench-'))
  readonly source: Program = {
    file: join(top, 'src/main.ts'),
    compileCache: join(this.#folder, 'compiled-source'),
  }

  readonly bare: Program = {
    file: join(top, 'bench/children/bare-start.ts'),
    compileCache: join(this.#folder, 'compiled-bare'),
  }

  pack(): Program {
    const packed = join(this.#folder, 'packed')
    for (const part of ['package.json', 'config', 'src/bin.js', 'src/server/ui/assets'])
      cpSync(join(top, part), join(packed, part), { recursive: true })
    symlinkSync(join(top, 'node_modules'), join(packed, 'node_modules'))
    execFileSync(join(top, 'node_modules/.bin/tsc'), ['-p', top, '--outDir', join(packed, 'dist')])
    return { file: join(packed, 'src/bin.js'), compileCache: join(this.#folder, 'compiled-package') }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true })
  }
}

/** A daemon in a process of its own, started as users start it. Disposing the object stops the daemon by a signal. */
export class StartedDaemon implements AsyncDisposable {
  readonly #process: ChildProcess
  /** Milliseconds from the start of the process until it writes the line `listening` to its log. */
  readonly startMs: number
  /** The base URL of the public API. */
  readonly url: string

  private constructor(process: ChildProcess, startMs: number, url: string) {
    this.#process = process
    this.startMs = startMs
    this.url = url
  }

  /**
   * Starts a daemon, and waits until it listens.
   * @param settings the configuration, as in `NODE_CONFIG`.
   */
  static async start(
    { file, compileCache }: Program,
    cores: Cores | undefined,
    settings: object = {},
  ): Promise<StartedDaemon> {
    const config = { http: { port: 0 }, operations: { port: 0 }, ...settings }
    const env = {
      ...process.env,
      ...environmentAtStart(),
      NODE_COMPILE_CACHE: compileCache,
      NODE_CONFIG: JSON.stringify(config),
    }
    const [command = '', ...args] = onCores(cores && [cores.measured, cores.rest], [
      process.execPath,
      ...flagsAtStart(),
      file,
    ])
    const before = performance.now()
    const child = spawn(command, args, { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface(child.stdout)) {
      const { msg, http } = JSON.parse(line)
      if (msg !== 'listening') continue
      child.stdout.resume()
      return new StartedDaemon(child, performance.now() - before, http)
    }
    throw new Error('the daemon ended before it listened')
  }

  /** The resident memory in MiB; undefined if the operating system does not provide it. */
  get rssMiB(): number | undefined {
    try {
      const [, kiB] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#process.pid}/status`, 'utf8')) ?? []
      return Number(kiB) / 1024
    } catch {
      return undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await ended
  }
}
