import type { Gzip } from 'node:zlib'
import { type Clock, milliseconds } from '../lib/clock.ts'
import { streamingGzip } from './compressed.ts'

/** One row of a list: its id, and its element as HTML with that id. */
export interface Row {
  readonly id: string
  readonly html: string
}

/** The parts of the page that change while it is open. */
export interface PageParts {
  /** The content of elements by id: HTML. */
  readonly parts: Readonly<Record<string, string>>
  /** The rows of elements by id. */
  readonly lists: Readonly<Record<string, readonly Row[]>>
  /** The numbers of charts by id of their element. */
  readonly charts: Readonly<Record<string, unknown>>
}

export interface LiveDeps {
  readonly clock: Clock
  /** Milliseconds since 1970 UTC, as the network's ledger sees it. */
  readonly wall: () => number
  /** The current content of the page. */
  readonly parts: () => PageParts
}

const mostListeners = 100
const tickMs = milliseconds('1s')
/** An open page that hears nothing for three times as long tells so. */
const heartbeatMs = milliseconds('5s')
/** A page with this many unread events is disconnected. It reconnects when it can. */
const mostWaiting = 16

interface Listener {
  readonly stream: ReadableStreamDefaultController<Uint8Array>
  readonly gzip: Gzip | undefined
}

/** Everything that was told, as texts that can be compared. */
interface Told {
  readonly parts: ReadonlyMap<string, string>
  readonly orders: ReadonlyMap<string, string>
  readonly rows: ReadonlyMap<string, string>
  readonly charts: ReadonlyMap<string, string>
}

const nothingTold: Told = { parts: new Map(), orders: new Map(), rows: new Map(), charts: new Map() }

/**
 * Sends changes to open pages as server-sent events: of lists, only the rows that changed. It does nothing while no page
 * listens.
 */
export class Live implements Disposable {
  readonly #deps: LiveDeps
  readonly #listeners = new Set<Listener>()
  readonly #encoder = new TextEncoder()
  #told = nothingTold
  #beatAt = 0
  #cancel: (() => void) | undefined
  #closed = false

  constructor(deps: LiveDeps) {
    this.#deps = deps
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /**
   * Opens a stream that starts with the whole content. Returns undefined if there are too many streams, or after
   * disposal.
   */
  listen(zipped = false): ReadableStream<Uint8Array> | undefined {
    if (this.#closed || this.#listeners.size >= mostListeners) return undefined
    let listener: Listener
    const strategy = new CountQueuingStrategy({ highWaterMark: mostWaiting })
    return new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          const gzip = zipped ? streamingGzip() : undefined
          gzip?.on('data', (chunk: Buffer) => stream.enqueue(new Uint8Array(chunk)))
          listener = { stream, gzip }
          this.#tell()
          this.#listeners.add(listener)
          this.#send(listener, `retry: 2000\n\n${this.#eventOf(changesBetween(nothingTold, this.#told))}`)
          this.#cancel ??= this.#tickLater()
        },
        cancel: () => this.#drop(listener),
      },
      strategy,
    )
  }

  /** Ends every stream. After that, `listen` returns undefined. */
  [Symbol.dispose](): void {
    this.#closed = true
    for (const listener of [...this.#listeners]) this.#end(listener)
  }

  #tickLater(): () => void {
    return this.#deps.clock.after(tickMs, () => {
      this.#tell()
      this.#cancel = this.#listeners.size > 0 ? this.#tickLater() : undefined
    })
  }

  /** Sends the changes since the last call. */
  #tell(): void {
    const before = this.#told
    this.#told = toldBy(this.#deps.parts())
    if (this.#listeners.size === 0) return
    const changes = changesBetween(before, this.#told)
    const now = this.#deps.clock.now()
    if (Object.keys(changes).length === 0 && now - this.#beatAt < heartbeatMs) return
    this.#beatAt = now
    const text = this.#eventOf(changes)
    for (const listener of [...this.#listeners]) this.#send(listener, text)
  }

  #eventOf(changes: Changes): string {
    return `data: ${JSON.stringify({ now: this.#deps.wall(), machine: this.#deps.clock.wall(), ...changes })}\n\n`
  }

  #send(listener: Listener, text: string): void {
    if ((listener.stream.desiredSize ?? 0) <= 0) this.#end(listener)
    else if (listener.gzip === undefined) listener.stream.enqueue(this.#encoder.encode(text))
    else listener.gzip.write(text)
  }

  #end(listener: Listener): void {
    this.#drop(listener)
    listener.stream.close()
  }

  #drop(listener: Listener): void {
    listener.gzip?.removeAllListeners('data').destroy()
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    this.#cancel?.()
    this.#cancel = undefined
  }
}

/** What an event holds besides the time; an absent member means no change. */
interface Changes {
  readonly parts?: Record<string, string>
  /** The ids of all rows in order, by list. */
  readonly lists?: Record<string, readonly string[]>
  /** Rows that are new or changed, by id. */
  readonly rows?: Record<string, string>
  readonly charts?: Record<string, unknown>
}

function toldBy({ parts, lists, charts }: PageParts): Told {
  return {
    parts: new Map(Object.entries(parts)),
    orders: new Map(
      Object.entries(lists).map(([id, rows]) => [id, JSON.stringify(rows.map((row) => row.id))]),
    ),
    rows: new Map(Object.values(lists).flatMap((rows) => rows.map(({ id, html }) => [id, html] as const))),
    charts: new Map(Object.entries(charts).map(([id, data]) => [id, JSON.stringify(data)])),
  }
}

function changesBetween(before: Told, after: Told): Changes {
  const parsed = (changed: Record<string, string> | undefined) =>
    changed && Object.fromEntries(Object.entries(changed).map(([id, text]) => [id, JSON.parse(text)]))
  const changes = {
    parts: changed(before.parts, after.parts),
    lists: parsed(changed(before.orders, after.orders)),
    rows: changed(before.rows, after.rows),
    charts: parsed(changed(before.charts, after.charts)),
  }
  return Object.fromEntries(Object.entries(changes).filter(([, change]) => change !== undefined))
}

function changed(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Record<string, string> | undefined {
  const entries = [...after].filter(([id, text]) => before.get(id) !== text)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
