import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { written } from '../../config/config.ts'
import { DaemonProcess } from '../../support/process.ts'

export interface Addresses {
  readonly http: string
  readonly operations: string
  readonly control: string
}

export interface Cost {
  /** The longest time for which the event loop was held, in milliseconds of CPU time. */
  readonly blockedMs: number
  readonly rss: number
  readonly faults: readonly string[]
}

const heapMiB = 256
const config = written({
  network: 'localnet',
  'auth.scanProxy': 'bearer',
  'ui.public': true,
  'names.acronym': 'cns',
})

/** A daemon with everything that it can serve. */
export class Victim implements AsyncDisposable {
  readonly addresses: Addresses
  readonly #daemon: DaemonProcess
  readonly #blocks: string
  #heard = 0
  isAlive = true

  private constructor(daemon: DaemonProcess, blocks: string, addresses: Addresses) {
    this.#daemon = daemon
    this.#blocks = blocks
    this.addresses = addresses
    void daemon.ended.then(() => {
      this.isAlive = false
    })
  }

  static async start(): Promise<Victim> {
    const blocks = join(tmpdir(), `siege-${process.pid}`)
    await writeFile(blocks, '')
    const monitor = new URL(`../../support/loop-monitor.ts?file=${blocks}`, import.meta.url)
    const daemon = await DaemonProcess.start({
      LEDGER_DRIVER: 'embedded',
      NODE_CONFIG: JSON.stringify(config),
      NODE_OPTIONS: `--max-old-space-size=${heapMiB} --import ${monitor}`,
    })
    return new Victim(daemon, blocks, await daemon.listening())
  }

  /** Resolves with the cost of all calls since the previous call of `cost()`. Rejects if the process has died. */
  async cost(): Promise<Cost> {
    // The monitor notes a block when the event loop turns again.
    await fetch(`${this.addresses.operations}/livez`)
    await setTimeout(10)
    if (!this.isAlive) throw new Error(`the daemon died: ${JSON.stringify(await this.#daemon.ended)}`)
    const blocked = (await readFile(this.#blocks, 'utf8'))
      .split('\n')
      .map((line) => Number(line.split(' ')[1]))
    await writeFile(this.#blocks, '')
    const [, kiB] =
      /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${this.#daemon.pid}/status`, 'utf8')) ?? []
    const lines = this.#daemon.lines.slice(this.#heard)
    this.#heard += lines.length
    return {
      blockedMs: Math.max(0, ...blocked.filter(Number.isFinite)),
      rss: Number(kiB) * 1024,
      faults: lines.filter(({ level }) => level === 'error').map((line) => JSON.stringify(line)),
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#daemon[Symbol.asyncDispose]()
  }
}
