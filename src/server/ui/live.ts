import type { Gzip } from 'node:zlib'
import { type Clock, milliseconds } from '../../base/lib/clock.ts'
import { loserOfPlace, type PlaceHolder } from '../../base/lib/fair-places.ts'
import { streamingGzip } from './responses.ts'

/** `html` is one HTML element whose attribute `id` is this `id`. */
export interface Row {
  readonly id: string
  readonly html: string
}

/** The parts of the page that change while it is open. The keys are the ids of HTML elements. */
export interface PageParts {
  readonly parts: Readonly<Record<string, string>>
  readonly lists: Readonly<Record<string, readonly Row[]>>
}

export interface LiveDeps {
  readonly clock: Clock
  readonly networkMs: () => number
  readonly parts: () => PageParts
}

const mostListeners = 100
const tickMs = milliseconds('1s')
/**
 * If nothing changes for this many milliseconds, an open page gets an empty event. A page that gets
 * no event for three times as long shows that it may be out of date.
 */
const heartbeatMs = milliseconds('5s')
/**
 * If more events than this wait for one slow page, the daemon closes its stream, and the page
 * connects again.
 */
const mostWaiting = 16

interface Listener extends PlaceHolder {
  readonly stream: ReadableStreamDefaultController<Uint8Array>
  readonly gzip: Gzip | undefined
}

/** The parts that the pages show, by the field of an event and by the id of an HTML element. */
type LiveContent = Readonly<
  Record<'parts' | 'lists' | 'rows', Readonly<Record<string, string | readonly string[]>>>
>

const nothing: LiveContent = { parts: {}, lists: {}, rows: {} }

/**
 * Sends the changes of the page to all open pages, as server-sent events. While no page is open,
 * nothing is computed.
 */
export class Live implements Disposable {
  readonly #deps: LiveDeps
  readonly #listeners = new Set<Listener>()
  readonly #encoder = new TextEncoder()
  #sent = nothing
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
   * Opens a stream whose first event has all parts of the page. If too many streams are open, the
   * client with the most streams loses one, provided that it has at least two more than this
   * client. Otherwise returns undefined.
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
          this.#send(listener, `retry: 2000\n\n${this.#eventOf(changesBetween(nothing, this.#sent))}`)
          this.#cancel ??= this.#tickLater()
        },
        cancel: () => this.#drop(listener),
      },
      strategy,
    )
  }

  [Symbol.dispose](): void {
    this.#closed = true
    for (const listener of [...this.#listeners]) this.#end(listener)
  }

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

  #tell(): void {
    const before = this.#sent
    this.#sent = contentOf(this.#deps.parts())
    if (this.#listeners.size === 0) return
    const changes = changesBetween(before, this.#sent)
    const now = this.#deps.clock.now()
    if (Object.keys(changes).length === 0 && now - this.#beatAt < heartbeatMs) return
    this.#beatAt = now
    const text = this.#eventOf(changes)
    for (const listener of [...this.#listeners]) this.#send(listener, text)
  }

  #eventOf(changes: Changes): string {
    return `data: ${JSON.stringify({ now: this.#deps.networkMs(), machine: this.#deps.clock.wall(), ...changes })}\n\n`
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

type Changes = Partial<LiveContent>

function contentOf({ parts, lists }: PageParts): LiveContent {
  const rows = Object.values(lists).flat()
  return {
    parts,
    lists: Object.fromEntries(Object.entries(lists).map(([id, list]) => [id, list.map((row) => row.id)])),
    rows: Object.fromEntries(rows.map(({ id, html }) => [id, html])),
  }
}

function changesBetween(before: LiveContent, after: LiveContent): Changes {
  const changes = (['parts', 'lists', 'rows'] as const).map((kind) => {
    const all = Object.entries(after[kind])
    return [kind, all.filter(([id, value]) => String(before[kind][id]) !== String(value))] as const
  })
  const some = changes.filter(([, changed]) => changed.length > 0)
  return Object.fromEntries(some.map(([kind, changed]) => [kind, Object.fromEntries(changed)]))
}
