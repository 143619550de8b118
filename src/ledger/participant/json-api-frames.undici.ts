import { channel } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { Client, ping, WebSocket } from 'undici'
import type { Clock } from '../../lib/clock.ts'
import { LedgerUnavailable } from '../ledger.ts'
import type { Frames } from './json-api.ts'
import type { ParticipantConnector } from './json-api-connect.undici.ts'

export interface OpenFrames {
  readonly origin: string
  readonly path: string
  readonly authorization: string | undefined
  /** The text of the frame that is sent as soon as the websocket is open. */
  readonly firstFrame: string
  readonly maxBytes: number
  readonly pingMs: number
  readonly closed: (frames: Frames) => void
}

export interface FramesDeps {
  readonly clock: Clock
  readonly connector: ParticipantConnector
}

/**
 * The limit of buffered characters. At the limit, the websocket receives no more data until a call
 * of `Frames.read` empties the buffer.
 */
const mostUnread = 1_048_576

export async function openFrames(
  options: OpenFrames,
  deps: FramesDeps,
  signal: AbortSignal,
): Promise<Frames> {
  signal.throwIfAborted()
  const frames = new UndiciFrames(options, deps)
  const abort = () => frames[Symbol.dispose]()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await frames.opened
    signal.throwIfAborted()
    return frames
  } catch (error) {
    frames[Symbol.dispose]()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** undici reports pongs only on a diagnostics channel, for all websockets of the process. */
const ponged = new WeakMap<object, () => void>()
channel('undici:websocket:pong').subscribe((message) => {
  const { websocket } = message as { readonly websocket: object }
  ponged.get(websocket)?.()
})

class UndiciFrames implements Frames {
  readonly opened: Promise<void>
  readonly #clock: Clock
  readonly #pingMs: number
  readonly #onClosed: (frames: Frames) => void
  readonly #client: Client
  readonly #socket: WebSocket
  #raw: Socket | undefined
  #unread: string[] = []
  #unreadLength = 0
  #isHeld = false
  #isClosed = false
  /**
   * Set when the connection has ended. `error` is undefined if the participant closed it normally.
   */
  #end: { readonly error: Error | undefined } | undefined
  #wake: (() => void) | undefined
  #openedAt = 0
  #cancelPing: () => void = () => {}

  constructor(
    { origin, path, authorization, firstFrame, maxBytes, pingMs, closed }: OpenFrames,
    { clock, connector }: FramesDeps,
  ) {
    this.#clock = clock
    this.#pingMs = pingMs
    this.#onClosed = closed
    this.#client = new Client(origin, {
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
      webSocket: { maxPayloadSize: maxBytes, maxFragments: 16_384 },
      connect: (to, callback) => {
        this.#raw = connector.open(to, callback)
        // undici resumes the socket each time it has parsed the received data. While too many
        // frames are buffered, the socket must stay paused.
        this.#raw.on('resume', () => {
          if (this.#isHeld) this.#raw?.pause()
        })
      },
    })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.opened = promise
    this.#socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${path}`, {
      protocols: ['daml.ws.auth'],
      dispatcher: this.#client,
      headers: authorization === undefined ? {} : { authorization },
    })
    let why = 'it was refused or the connection broke'
    this.#socket.addEventListener('open', () => {
      this.#openedAt = clock.now()
      this.#socket.send(firstFrame)
      this.#restartKeepAlive()
      resolve()
    })
    this.#socket.addEventListener('error', ({ error, message }) => {
      why = message || (error instanceof Error && error.message) || why
    })
    this.#socket.addEventListener('message', ({ data }) => this.#take(data))
    this.#socket.addEventListener('close', ({ code, reason }) => {
      const normal = this.#openedAt > 0 && (code === 1000 || code === 1005)
      const text = `The participant's websocket ended: ${code}${reason === '' ? '' : ` ${reason}`}, ${why}.`
      this.#finish(normal ? undefined : new LedgerUnavailable(text))
      reject(new LedgerUnavailable(text))
    })
    promise.catch(() => {})
    ponged.set(this.#socket, () => this.#restartKeepAlive())
  }

  get ageMs(): number {
    return this.#clock.now() - this.#openedAt
  }

  async read(signal: AbortSignal): Promise<readonly string[]> {
    while (this.#unread.length === 0) {
      signal.throwIfAborted()
      if (this.#end !== undefined) {
        if (this.#end.error === undefined) return []
        throw this.#end.error
      }
      await this.#news(signal)
    }
    const read = this.#unread
    this.#unread = []
    this.#unreadLength = 0
    this.#release()
    return read
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#unread = []
    this.#finish(new LedgerUnavailable('The websocket is closed.'))
    ponged.delete(this.#socket)
    // The connection ends without waiting for the participant's close frame.
    if (this.#openedAt > 0) this.#socket.close()
    this.#isHeld = false
    this.#raw?.destroySoon()
    void this.#client.destroy().catch(() => {})
    this.#onClosed(this)
  }

  #take(data: unknown): void {
    if (this.#end !== undefined) return
    if (typeof data !== 'string') {
      this.#finish(new LedgerUnavailable('The participant sent a frame that is no text.'))
      return
    }
    this.#restartKeepAlive()
    this.#unread.push(data)
    this.#unreadLength += data.length
    if (this.#unreadLength >= mostUnread) this.#hold()
    this.#wake?.()
  }

  #hold(): void {
    this.#isHeld = true
    this.#cancelPing()
    this.#raw?.pause()
  }

  #release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#restartKeepAlive()
    this.#raw?.resume()
  }

  /**
   * If neither a frame nor a pong arrives for `pingMs`, sends a ping. After another `pingMs`, ends
   * the connection.
   */
  #restartKeepAlive(): void {
    this.#cancelPing()
    if (this.#end !== undefined || this.#isHeld) return
    this.#cancelPing = this.#clock.after(this.#pingMs, () => {
      ping(this.#socket)
      this.#cancelPing = this.#clock.after(this.#pingMs, () =>
        this.#finish(
          new LedgerUnavailable(`The participant gave no sign of life for ${2 * this.#pingMs} ms.`),
        ),
      )
    })
  }

  #finish(error: Error | undefined): void {
    if (this.#end !== undefined) return
    this.#end = { error }
    this.#cancelPing()
    this.#wake?.()
  }

  async #news(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    this.#wake = wake
    signal.addEventListener('abort', wake, { once: true })
    await promise
    this.#wake = undefined
    signal.removeEventListener('abort', wake)
  }
}
