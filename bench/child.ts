import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { runtimeFlags } from '../src/cli/runtime-flags.ts'
import { onCores } from './cores.ts'

/**
 * The methods of a child process that its parent can call, by name. Arguments and results are sent as JSON.
 */
export type Duties = Readonly<Record<string, (argument: never) => unknown>>

interface Call {
  readonly id: number
  readonly duty: string
  readonly argument: unknown
}

type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string })

function wordsAtStart(): readonly string[] {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(manifest.scripts.start).split(' ')
}

/** Returns the Node flags in the script of `npm start`. The daemon itself sets further flags (`runtimeFlags`). */
export function flagsAtStart(): readonly string[] {
  return wordsAtStart().filter((word) => word.startsWith('--'))
}

/** Returns the environment variables that the script of `npm start` sets. */
export function environmentAtStart(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    wordsAtStart()
      .filter((word) => /^[A-Z_]+=/.test(word))
      .map((word) => word.split('=')),
  )
}

/** The time that a child gets to end by itself, for example to write a profile, in milliseconds. */
const longestEndMs = 10_000

/** A child process that runs Node. Its parent calls its methods over IPC. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #calls = 0

  private constructor(process: ChildProcess) {
    this.#process = process
    process.on('message', (reply: Reply) => this.#hear(reply))
    process.on('exit', (code, signal) => this.#ended(new Error(`a child ended: ${code ?? signal}`)))
  }

  /**
   * Starts a child process, and waits until its method `start` is done.
   * @param script the file in `children/`, without its extension.
   * @param cores the cores on which the child runs. If undefined, the child may use the cores of its parent.
   */
  static async start(
    script: string,
    cores: number | readonly number[] | undefined,
    argument?: unknown,
  ): Promise<Child> {
    // Every measured process gets the daemon's flags. Under other flags, V8 could run the same code at another speed.
    const file = new URL(`children/${script}.ts`, import.meta.url).pathname
    const [command = '', ...args] = onCores(cores, [
      process.execPath,
      ...flagsAtStart(),
      ...runtimeFlags,
      file,
    ])
    const env = { ...process.env, ...environmentAtStart() }
    const child = new Child(spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }))
    await child.call('start', argument)
    return child
  }

  /** Calls a method of the child. Rejects with the error that the method throws, or if the child exits. */
  call<Result>(duty: string, argument?: unknown): Promise<Result> {
    const waiting = Promise.withResolvers<unknown>()
    const id = ++this.#calls
    this.#waiting.set(id, waiting)
    this.#process.send({ id, duty, argument } satisfies Call)
    return waiting.promise as Promise<Result>
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('the child did not start')
    return this.#process.pid
  }

  /** Resolves with the CPU time that all threads of the child have used so far, in microseconds. */
  cpuUs(): Promise<number> {
    return this.call('cpuUs')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    if (this.#process.connected) this.#process.disconnect()
    const stuck = setTimeout(() => this.#process.kill('SIGKILL'), longestEndMs)
    await ended
    clearTimeout(stuck)
  }

  #hear(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('error' in reply) waiting?.reject(new Error(reply.error))
    else waiting?.resolve(reply.value)
  }

  #ended(why: Error): void {
    for (const { reject } of this.#waiting.values()) reject(why)
    this.#waiting.clear()
  }
}

/** Performs the calls of the parent, in the child process. The child exits when its parent does. */
export function serveParent(duties: Duties & { start(argument: never): unknown }): void {
  const all: Duties = { cpuUs, ...duties }
  process.on('message', ({ id, duty, argument }: Call) => {
    const perform = async () => await all[duty]?.(argument as never)
    perform().then(
      (value) => process.send?.({ id, value: value ?? null } satisfies Reply),
      (error: unknown) => process.send?.({ id, error: String(error) } satisfies Reply),
    )
  })
  process.on('disconnect', () => process.exit())
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
