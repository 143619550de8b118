import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnv } from '../../support/child-env.ts'
import type { Addresses, Cost } from './victim.ts'

const file = fileURLToPath(new URL('./victim.ts', import.meta.url))

const heapMiB = 256

export class VictimProcess implements AsyncDisposable {
  readonly addresses: Addresses
  readonly #child: ChildProcess
  readonly #died: Promise<never>

  private constructor(child: ChildProcess, addresses: Addresses, died: Promise<never>) {
    this.#child = child
    this.addresses = addresses
    this.#died = died
  }

  static async start(): Promise<VictimProcess> {
    const child = fork(file, [], {
      env: childEnv,
      execArgv: [`--max-old-space-size=${heapMiB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const errors: string[] = []
    child.stderr?.on('data', (part: Buffer) => errors.push(String(part)))
    const died = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the daemon died: ${code ?? signal}\n${errors.join('').slice(-4_000)}`)
    })
    died.catch(() => {})
    const [addresses] = await Promise.race([once(child, 'message'), died])
    return new VictimProcess(child, addresses as Addresses, died)
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Resolves with the cost of all calls since the previous call of `cost()`. Rejects if the process has died. */
  async cost(): Promise<Cost> {
    const answered = once(this.#child, 'message')
    this.#child.send('cost')
    const [cost] = await Promise.race([answered, this.#died])
    return cost as Cost
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isAlive) return
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }
}
