import { type Clock, milliseconds } from '../lib/clock.ts'

/** The changed parts of the page: HTML by element id. */
export type PageParts = Readonly<Record<string, string>>

export interface LiveDeps {
  readonly clock: Clock
  /** The current content of the page. */
  readonly parts: () => PageParts
}

const mostListeners = 100
const tickMs = milliseconds('1s')
/** Shorter than the time after which servers and proxies close silent connections. */
const heartbeatMs = milliseconds('15s')
/** A page with this many unread events is disconnected. It reconnects when it can. */
const mostWaiting = 16

type Listener = ReadableStreamDefaultController<Uint8Array>

/** Sends changes to open pages as server-sent events. It does nothing while no page listens. */
export class Live implements Disposable {
  readonly #deps: LiveDeps
  readonly #listeners = new Set<Listener>()
  readonly #encoder = new TextEncoder()
  #told: PageParts = {}
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
  listen(): ReadableStream<Uint8Array> | undefined {
    if (this.#closed || this.#listeners.size >= mostListeners) return undefined
    let listener: Listener
    const strategy = new CountQueuingStrategy({ highWaterMark: mostWaiting })
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          listener = controller
          this.#tell()
          this.#listeners.add(listener)
          this.#send(listener, `retry: 2000\n\n${eventOf(this.#told)}`)
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
    const parts = this.#deps.parts()
    const changed = Object.fromEntries(Object.entries(parts).filter(([id, html]) => html !== this.#told[id]))
    this.#told = parts
    const now = this.#deps.clock.now()
    const isSilent = Object.keys(changed).length === 0
    if (isSilent && now - this.#beatAt < heartbeatMs) return
    this.#beatAt = now
    const text = isSilent ? ': still here\n\n' : eventOf(changed)
    for (const listener of [...this.#listeners]) this.#send(listener, text)
  }

  #send(listener: Listener, text: string): void {
    if ((listener.desiredSize ?? 0) <= 0) this.#end(listener)
    else listener.enqueue(this.#encoder.encode(text))
  }

  #end(listener: Listener): void {
    this.#drop(listener)
    listener.close()
  }

  #drop(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    this.#cancel?.()
    this.#cancel = undefined
  }
}

function eventOf(parts: PageParts): string {
  return `data: ${JSON.stringify(parts)}\n\n`
}
