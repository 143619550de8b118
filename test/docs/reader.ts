import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { top } from '../arch/sources.ts'
import { freePort } from '../support/free-port.ts'
import { Terminal } from './terminal.ts'
import { hasStated, isAsStated, type Step } from './walkthrough.ts'

/** The ports on the pages: of the public address, of the operations address and of the localnet's control address. */
const ports = ['8080', '9464', '9500']

/**
 * Follows the steps of a page. Types `npm start` into one terminal, and everything else into another. Replaces the
 * ports of the page by free ports. The checkout is the folder `bft-scan-proxy`, without installed packages.
 */
export class Reader implements AsyncDisposable {
  readonly #folder: string
  readonly #env: Readonly<Record<string, string>>
  readonly #portOf: ReadonlyMap<string, string>
  readonly #terminal: Terminal
  #daemon: Terminal | undefined

  private constructor(folder: string, free: readonly string[]) {
    const [http = '', operations = '', control = ''] = free
    this.#folder = folder
    this.#portOf = new Map(ports.map((port, index) => [port, free[index] ?? '']))
    // curl prints its progress if its output is no terminal. The `.curlrc` in `CURL_HOME` switches the progress off.
    this.#env = {
      ...plainEnv(),
      HTTP_PORT: http,
      OPERATIONS_PORT: operations,
      LOCALNET_CONTROL_PORT: control,
      CURL_HOME: folder,
    }
    this.#terminal = new Terminal({ folder, env: this.#env })
  }

  static async sitDown(): Promise<Reader> {
    const folder = await mkdtemp(join(tmpdir(), 'reader-'))
    await copyCheckout(join(folder, 'bft-scan-proxy'))
    await writeFile(join(folder, '.curlrc'), 'silent\n')
    const free = await Promise.all(ports.map(freePort))
    return new Reader(folder, free.map(String))
  }

  async follow(step: Step): Promise<string | undefined> {
    const here = (await this.#terminal.type('pwd')).trim()
    if (step.kind === 'save') {
      await writeFile(join(here, step.path), this.#onFreePorts(step.text))
      return undefined
    }
    const command = this.#onFreePorts(step.command)
    const stated = this.#onFreePorts(step.output)
    if (/\bnpm start$/.test(command)) return this.#start(command, stated, here)
    const printed = await this.#terminal.type(command)
    if (isAsStated(stated, printed)) return undefined
    return `line ${step.line}: ${command}\nprints\n${printed}\nand not\n${stated}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon?.[Symbol.asyncDispose]()
    await this.#terminal[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #start(command: string, stated: string, folder: string): Promise<undefined> {
    await this.#daemon?.[Symbol.asyncDispose]()
    this.#daemon = new Terminal({ folder, env: this.#env })
    await this.#daemon.begin(command, (output) => hasStated(stated, output))
  }

  #onFreePorts(text: string): string {
    return text.replaceAll(/\b\d{4}\b/g, (number) => this.#portOf.get(number) ?? number)
  }
}

function copyCheckout(folder: string): Promise<void> {
  const left = new Set(['.git', 'node_modules', 'dist'].map((name) => join(top, name)))
  return cp(top, folder, { recursive: true, filter: (path) => !left.has(path) })
}

/** Returns the environment of a user who has just logged in, without the tests' own variables. */
function plainEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(?:HOME|LANG|TMPDIR|USER|npm_config_(?:cache|registry|userconfig|globalconfig)|NODE_EXTRA_CA_CERTS)$/i.test(
      name,
    ),
  )
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: path.join(delimiter) }
}
