import type { Gzip } from 'node:zlib'
import { type Clock, milliseconds } from '../lib/clock.ts'
import { loserOfPlace, type PlaceHolder } from '../lib/fair-places.ts'
import { streamingGzip } from './compressed.ts'

/** One row of a list on the page. `html` is an HTML element whose attribute `id` is `id`. */
export interface Row {
  readonly id: string
  readonly html: string
}

/** The parts of the page that change while it is open. */
export interface PageParts {
  /** The HTML inside an element of the page, by the id of the element. */
  readonly parts: Readonly<Record<string, string>>
  /** The rows inside an element of the page, by the id of the element. */
  readonly lists: Readonly<Record<string, readonly Row[]>>
  /** The data of a chart, by the id of its element. */
  readonly charts: Readonly<Record<string, unknown>>
}

export interface LiveDeps {
  readonly clock: Clock
  /**
   * Returns the time of the network in milliseconds since 1970 UTC. On a localnet, it can be ahead of the
   * time of the daemon's machine.
   */
  readonly wall: () => number
  readonly parts: () => PageParts
}

const mostListeners = 100
const tickMs = milliseconds('1s')
/**
 * An open page gets an empty event, a heartbeat, if nothing has changed for this many milliseconds. If a page
 * gets no event for three times as long, it shows that it may be out of date.
 */
const heartbeatMs = milliseconds('5s')
/**
 * The maximum number of events that wait to be sent to one open page. If there are more, the daemon closes
 * the connection, and the page connects again.
 */
const mostWaiting = 16

interface Listener extends PlaceHolder {
  readonly stream: ReadableStreamDefaultController<Uint8Array>
  readonly gzip: Gzip | undefined
}

/**
 * The `PageParts` that open pages already have, as strings by element id. `changesBetween` compares them with
 * the next `PageParts`.
 */
interface Sent {
  readonly parts: ReadonlyMap<string, string>
  readonly orders: ReadonlyMap<string, string>
  readonly rows: ReadonlyMap<string, string>
  readonly charts: ReadonlyMap<string, string>
}

const nothingSent: Sent = { parts: new Map(), orders: new Map(), rows: new Map(), charts: new Map() }

/**
 * Sends the changes of the page to all open pages, as server-sent events. If a list has changed, only its
 * changed rows are sent. While no page is open, nothing is computed.
 */
export class Live implements Disposable {
  readonly #deps: LiveDeps
  readonly #listeners = new Set<Listener>()
  readonly #encoder = new TextEncoder()
  #sent = nothingSent
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
   * Opens a stream whose first event has all `PageParts`. If too many streams are open, the client with the
   * most streams loses one, provided that it has at least two more than this client. Otherwise returns
   * undefined. Also returns undefined after disposal.
   * @param client the visitor (`clientOf`).
   * @param zipped whether to compress the stream.
   */
  listen(client: string, zipped = false): ReadableStream<Uint8Array> | undefined {
    if (this.#closed || !this.#makePlaceFor(client)) return undefined
    let listener: Listener
    const strategy = new CountQueuingStrategy({ highWaterMark: mostWaiting })
    return new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          const gzip = zipped ? streamingGzip() : undefined
          gzip?.on('data', (chunk: Buffer) => stream.enqueue(new Uint8Array(chunk)))
          listener = { client, stream, gzip }
          this.#tell()
          this.#listeners.add(listener)
          this.#send(listener, `retry: 2000\n\n${this.#eventOf(changesBetween(nothingSent, this.#sent))}`)
          this.#cancel ??= this.#tickLater()
        },
        cancel: () => this.#drop(listener),
      },
      strategy,
    )
  }

  /** Ends every stream. `listen` returns undefined from then on. */
  [Symbol.dispose](): void {
    this.#closed = true
    for (const listener of [...this.#listeners]) this.#end(listener)
  }

  /**
   * Makes a place for another page. If all places are taken, ends the stream of one of the open pages.
   * @returns false if no place could be made.
   */
  #makePlaceFor(client: string): boolean {
    if (this.#listeners.size < mostListeners) return true
    const loser = loserOfPlace(this.#listeners, client)
    if (loser !== undefined) this.#end(loser)
    return loser !== undefined
  }

  #tickLater(): () => void {
    return this.#deps.clock.after(tickMs, () => {
      this.#tell()
      this.#cancel = this.#listeners.size > 0 ? this.#tickLater() : undefined
    })
  }

  /**
   * Sends to all open pages what has changed since the last call. If nothing has changed, sends an empty
   * event as a heartbeat, unless an event was sent less than `heartbeatMs` ago.
   */
  #tell(): void {
    const before = this.#sent
    this.#sent = textsOf(this.#deps.parts())
    if (this.#listeners.size === 0) return
    const changes = changesBetween(before, this.#sent)
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

/**
 * The JSON fields of a server-sent event, apart from `now` and `machine`. A field is absent if nothing in it
 * has changed.
 */
interface Changes {
  readonly parts?: Record<string, string>
  /** For each list whose rows were added, removed or reordered: the ids of all its rows, in order. */
  readonly lists?: Record<string, readonly string[]>
  /** The HTML of rows that are new or changed, by row id. */
  readonly rows?: Record<string, string>
  readonly charts?: Record<string, unknown>
}

function textsOf({ parts, lists, charts }: PageParts): Sent {
  return {
    parts: new Map(Object.entries(parts)),
    orders: new Map(
      Object.entries(lists).map(([id, rows]) => [id, JSON.stringify(rows.map((row) => row.id))]),
    ),
    rows: new Map(Object.values(lists).flatMap((rows) => rows.map(({ id, html }) => [id, html] as const))),
    charts: new Map(Object.entries(charts).map(([id, data]) => [id, JSON.stringify(data)])),
  }
}

function changesBetween(before: Sent, after: Sent): Changes {
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
