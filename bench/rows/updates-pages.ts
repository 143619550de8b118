import { Pool } from 'undici'
import { Child } from '../child.ts'
import { everything } from '../ledger-api.ts'
import { ledgerOf } from '../ledger-data.ts'
import { anyToken } from '../load.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median, warmUp } from '../statistics.ts'

const updates = 1_000_000
const pageSize = 2_000
const pagesPerRound = 10
const updatesPerRound = pageSize * pagesPerRound
const mebibyte = 1_048_576

/**
 * The results of one round for one update: the CPU time of the server, the real time, and the size in bytes. Both times
 * are in microseconds.
 */
interface Turn {
  readonly cpuUs: number
  readonly us: number
  readonly bytes: number
}

/**
 * Compares two rates: of reading all updates in pages of 2,000, and of reading the rows of the same updates from SQLite
 * as they are stored. With few rounds, only a part of the updates is read.
 *
 * A rate is in updates per second of real time, for a reader that waits for each page. As in other rows, all threads of
 * a server share one core, so that a server gains nothing by a second thread. The detail also has the ratio of the CPU
 * times. They do not include the time for which the servers wait for their readers.
 */
export async function pagesAgainstRows(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const start = (script: string) =>
    Child.start(script, bench.cores?.measured, { file: ledgerOf(updates) }).then((child) => stack.use(child))
  const [server, bare] = [await start('ledger-api'), await start('bare-rows')]
  const pages = stack.use(await Reader.of(server, page))
  const rows = stack.use(await Reader.of(bare, range))
  await warmUp(
    bench.warmUpMs,
    (ms) => pages.readFor(ms),
    (ms) => rows.readFor(ms),
  )
  const rounds = await alternate(
    Math.min(bench.rounds < 40 ? bench.rounds : Number.POSITIVE_INFINITY, updates / updatesPerRound),
    async () => ({ ...(await pages.readOn()), rssBytes: await server.call<number>('rssBytes') }),
    () => rows.readOn(),
  )
  const rss = rounds.map(({ a }) => a.rssBytes / mebibyte)
  const quarter = Math.ceil(rss.length / 4)
  const [early, late] = [median(rss.slice(0, quarter)), median(rss.slice(-quarter))]
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => b.us / a.us)),
    detail: {
      updates: rounds.length * updatesPerRound,
      byCpu: median(rounds.map(({ a, b }) => b.cpuUs / a.cpuUs)),
      pagesCpuUs: median(rounds.map(({ a }) => a.cpuUs)),
      rowsCpuUs: median(rounds.map(({ b }) => b.cpuUs)),
      pagesPerSecond: 1e6 / median(rounds.map(({ a }) => a.us)),
      rowsPerSecond: 1e6 / median(rounds.map(({ b }) => b.us)),
      pagesBytes: median(rounds.map(({ a }) => a.bytes)),
      rowsBytes: median(rounds.map(({ b }) => b.bytes)),
      // Medians of the resident memory in the first and in the last quarter of the rounds.
      earlyRssMiB: early,
      lateRssMiB: late,
      grownMiB: late - early,
    },
  }
}

interface Asked {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

function page(after: number): Asked {
  const asked = { beginOffsetExclusive: after, endOffsetInclusive: after + pageSize, maxPageSize: pageSize }
  const body = JSON.stringify({ ...asked, updateFormat: everything })
  return { method: 'POST', path: '/v2/updates/get-updates-page', body }
}

function range(after: number): Asked {
  return { method: 'GET', path: `/${after}/${after + pageSize}` }
}

/** Reads the updates of a server page by page, and begins again after the last one. */
class Reader implements AsyncDisposable {
  readonly #child: Child
  readonly #pool: Pool
  readonly #ask: (after: number) => Asked
  #after = 0

  private constructor(child: Child, url: string, ask: (after: number) => Asked) {
    this.#child = child
    this.#pool = new Pool(url, { connections: 1 })
    this.#ask = ask
  }

  static async of(child: Child, ask: (after: number) => Asked): Promise<Reader> {
    return new Reader(child, await child.call('url'), ask)
  }

  async readFor(ms: number): Promise<void> {
    for (const ends = performance.now() + ms; performance.now() < ends; ) await this.#readPage()
    this.#after = 0
  }

  async readOn(): Promise<Turn> {
    const cpuUs = await this.#child.cpuUs()
    const started = performance.now()
    let bytes = 0
    for (let count = 0; count < pagesPerRound; count++) bytes += await this.#readPage()
    const us = (performance.now() - started) * 1000
    const used = (await this.#child.cpuUs()) - cpuUs
    return { cpuUs: used / updatesPerRound, us: us / updatesPerRound, bytes: bytes / updatesPerRound }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.destroy()
  }

  /** Reads the next page. Resolves with the number of its bytes. */
  async #readPage(): Promise<number> {
    const { statusCode, body } = await this.#pool.request({
      ...this.#ask(this.#after),
      headers: { authorization: `Bearer ${anyToken}` },
    })
    let bytes = 0
    for await (const chunk of body) bytes += (chunk as Buffer).length
    if (statusCode !== 200 || bytes < pageSize * 500) throw new Error(`${statusCode}, ${bytes} bytes`)
    this.#after = (this.#after + pageSize) % updates
    return bytes
  }
}
