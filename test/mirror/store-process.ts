import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { childEnv } from '../support/child-env.ts'
import type { Command, Said } from './store-child.ts'

const child = fileURLToPath(new URL('./store-child.ts', import.meta.url))

export interface StoreProcessOptions {
  readonly file: string
  readonly under?: readonly string[]
  readonly uid?: number | undefined
}

export class StoreProcess implements AsyncDisposable {
  readonly said: Said[] = []
  readonly ended: Promise<unknown>
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor({ file, under = [], uid }: StoreProcessOptions) {
    const [program = '', ...args] = [...under, process.execPath, child, file]
    const user = uid === undefined ? {} : { uid, gid: uid }
    this.#child = spawn(program, args, { env: childEnv, stdio: ['pipe', 'pipe', 'inherit'], ...user })
    if (this.#child.stdout === null) throw new Error('the child has no output')
    // If the child is killed before it has read its input, the stream emits an error, which no test cares about.
    this.#child.stdin?.on('error', () => {})
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]()
    this.ended = once(this.#child, 'close')
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  send(command: Command): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`)
  }

  async next(): Promise<Said | undefined> {
    const { value, done } = await this.#lines.next()
    if (done === true) return undefined
    const said = JSON.parse(value) as Said
    this.said.push(said)
    return said
  }

  ask(command: Command): Promise<Said | undefined> {
    this.send(command)
    return this.next()
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end()
    await this.ended
  }
}
