import { type Clock, milliseconds } from '../lib/clock.ts'

/** The parts of the page that changed, by the id of their element: HTML. */
export type PageParts = Readonly<Record<string, string>>

export interface LiveDeps {
  readonly clock: Clock
  /** What the page shows now. */
  readonly parts: () => PageParts
}

const mostListeners = 100
const tickMs = milliseconds('1s')
/** Below the time after which servers and proxies close what is silent. */
const heartbeatMs = milliseconds('15s')
/** Who has not taken this many events is closed, and comes back when it can. */
const mostWaiting = 16

type Listener = ReadableStreamDefaultController<Uint8Array>

/** Tells open pages what changed, as server-sent events. While nobody listens it does nothing. */
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

  /** Undefined where there are too many already, or none are taken any more. It begins with everything there is. */
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

  /** Ends every stream, and takes no more listeners. */
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

  /** Sends what changed since it was last told. */
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
