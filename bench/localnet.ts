import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onCores } from './cores.ts'

const main = new URL('../src/main.ts', import.meta.url).pathname

/** The scan nodes of a localnet, in a process of their own. */
export class Nodes implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #control: string
  readonly #names: readonly string[]
  readonly urls: readonly string[]

  private constructor(
    process: ChildProcess,
    { control, superValidators }: { control: string; superValidators: Readonly<Record<string, string>> },
  ) {
    this.#process = process
    this.#control = control
    this.#names = Object.keys(superValidators)
    this.urls = Object.values(superValidators)
  }

  static async start(count: number, cores: number | readonly number[] | undefined): Promise<Nodes> {
    const args = [process.execPath, main, 'localnet', '--super-validators', String(count)]
    const [command = '', ...rest] = onCores(cores, args)
    const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(createInterface(child.stdout), 'line')
    return new Nodes(child, JSON.parse(line))
  }

  /**
   * Resolves with how many requests all nodes together have received so far. Only requests for the content of the
   * ledger are counted.
   */
  async asks(): Promise<number> {
    const shown = (await this.#call('GET', '/super-validators')) as { asks: number }[]
    return shown.reduce((sum, { asks }) => sum + asks, 0)
  }

  /**
   * Sets faults on the nodes.
   * @param fault returns the fault of a node, by its index. If it returns undefined, the node keeps its present fault.
   */
  async setFaults(fault: (node: number) => object | undefined): Promise<void> {
    await Promise.all(
      this.#names.map(async (name, node) => {
        const chosen = fault(node)
        if (chosen === undefined) return
        await this.#call('PUT', `/super-validators/${encodeURIComponent(name)}/fault`, JSON.stringify(chosen))
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
  }

  async #call(method: string, path: string, body?: string): Promise<unknown> {
    const response = await fetch(this.#control + path, body === undefined ? { method } : { method, body })
    if (!response.ok) throw new Error(`the localnet said ${response.status}: ${await response.text()}`)
    return response.json()
  }
}

/** Asks the first node for at most a thousand names, and returns those that expire more than a day from now. */
export async function namesOf({ urls }: Nodes): Promise<readonly string[]> {
  const response = await fetch(`${urls[0]}/api/scan/v0/ans-entries?page_size=1000`)
  const { entries } = (await response.json()) as { entries: { name: string; expires_at: string | null }[] }
  return entries.filter(({ expires_at }) => lastsLong(expires_at)).map(({ name }) => name)
}

/**
 * Whether a name has an expiry, and the expiry is more than a day ahead. Some names expire within minutes, so a
 * benchmark would fail with them. Names without an expiry, such as `dso.cns`, are left out, too.
 */
function lastsLong(expiresAt: string | null): boolean {
  return expiresAt !== null && Date.parse(expiresAt) - Date.now() > 86_400_000
}
