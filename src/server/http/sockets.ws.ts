import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { CantonError, PlainError } from '../../base/errors/canton.ts'
import { longestBody } from '../../base/lib/body-bytes.ts'
import { type Clock, milliseconds } from '../../base/lib/clock.ts'
import { sayLast } from '../../base/lib/last-words.ts'
import { within } from './collect.ts'
import { type Problem, rawProblem } from './problem.ts'
import { splitTarget } from './request.ts'
import { type Conversation, isWebSocket, type Socket, type Stream, type Upgrades } from './sockets.ts'

export interface WsSocketsDeps {
  readonly clock: Clock
  readonly refuse: (error: unknown, request: IncomingMessage) => Problem
  readonly tellSlow: (request: IncomingMessage) => void
}

/**
 * The subprotocol of each accepted WebSocket, whatever the caller offers, as in Canton (its
 * asyncapi.yaml).
 */
const subprotocol = 'daml.ws.auth'
/** While more bytes than this wait to be sent to a caller, the daemon sends it no further text. */
const highWaterBytes = 64 * 1024
/** The daemon disconnects a caller that reads none of the waiting bytes for this long. */
const slowMs = milliseconds('30s')
const pingMs = milliseconds('30s')
const firstFrameMs = milliseconds('60s')
const handshakeMs = milliseconds('20s')
const mostSilent = 1_000
/**
 * The limits of one message. Each frame and each buffer costs memory beyond its bytes, so a caller
 * could fill the memory with very small frames.
 */
const most = { fragments: 1_024, buffers: 8_192 }

const codes = { normal: 1000, goingAway: 1001, unsupported: 1003, tryAgainLater: 1013 }

export class WsSockets implements Upgrades {
  readonly #streams: ReadonlyMap<string, Stream>
  readonly #deps: WsSocketsDeps
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: longestBody,
    maxFragments: most.fragments,
    maxBufferedChunks: most.buffers,
    perMessageDeflate: false,
    handleProtocols: () => subprotocol,
  })

  #silent = 0

  constructor(streams: readonly Stream[], deps: WsSocketsDeps) {
    this.#streams = new Map(streams.map((stream) => [stream.path, stream]))
    this.#deps = deps
    this.#server.on('wsClientError', ({ message }, socket, request) => {
      const error = new PlainError('badHandshake', { why: message })
      // A caller may have asked for another version (RFC 6455, 4.4).
      this.#refuse(socket, error, request, { 'sec-websocket-version': '13, 8' })
    })
  }

  wants(request: IncomingMessage): boolean {
    return isWebSocket(request) && this.#streamOf(request) !== undefined
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // A socket error without a listener would end the process. After the upgrade, `ws` handles
    // errors.
    const ignore = () => {}
    socket.on('error', ignore)
    within(this.#conversation(request), handshakeMs, this.#deps.clock).then(
      (conversation) => {
        if (socket.destroyed) return
        if (conversation === undefined) return this.#refuse(socket, new PlainError('timedOut'), request)
        if (this.#silent >= mostSilent) return this.#refuse(socket, new CantonError('overloaded'), request)
        socket.off('error', ignore)
        this.#server.handleUpgrade(request, socket, head, (ws) => void this.#hold(ws, conversation, request))
      },
      (error: unknown) => this.#refuse(socket, error, request),
    )
  }

  #refuse(socket: Duplex, error: unknown, request: IncomingMessage, more: Problem['headers'] = {}): void {
    const problem = this.#deps.refuse(error, request)
    const text = rawProblem({ ...problem, headers: { ...problem.headers, ...more } })
    sayLast(socket, text, this.#deps.clock)
  }

  close(timeoutMs: number): void {
    for (const ws of this.#server.clients) ws.close(codes.goingAway, 'the server is going away')
    this.#deps.clock.after(timeoutMs, () => {
      for (const ws of this.#server.clients) ws.terminate()
    })
  }

  async #conversation(request: IncomingMessage): Promise<Conversation> {
    return (this.#streamOf(request) as Stream).open(request)
  }

  #streamOf({ url = '' }: IncomingMessage): Stream | undefined {
    return this.#streams.get(splitTarget(url).path)
  }

  async #hold(ws: WebSocket, conversation: Conversation, request: IncomingMessage): Promise<void> {
    const gone = new AbortController()
    const stopPings = pinged(ws, this.#deps.clock)
    ws.on('close', () => {
      stopPings()
      gone.abort()
    })
    // Without this listener, an error would end the process. `ws` closes the connection by itself.
    ws.on('error', () => {})
    const { clock, tellSlow } = this.#deps
    const socket = new WsSocket(ws, gone, { clock, tellSlow: () => tellSlow(request) })
    this.#silent++
    void socket.first().then(() => this.#silent--)
    await conversation(socket)
  }
}

interface WsSocketDeps {
  readonly clock: Clock
  readonly tellSlow: () => void
}

class WsSocket implements Socket {
  readonly #ws: WebSocket
  readonly #gone: AbortController
  readonly #deps: WsSocketDeps
  readonly #first: Promise<string | undefined>

  constructor(ws: WebSocket, gone: AbortController, deps: WsSocketDeps) {
    this.#ws = ws
    this.#gone = gone
    this.#deps = deps
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#first = promise
    const cancel = deps.clock.after(firstFrameMs, () => {
      ws.close(codes.unsupported, 'no request came')
      resolve(undefined)
    })
    ws.once('message', (data: RawData) => {
      cancel()
      resolve(String(data))
    })
    ws.once('close', () => {
      cancel()
      resolve(undefined)
    })
  }

  get signal(): AbortSignal {
    return this.#gone.signal
  }

  first(): Promise<string | undefined> {
    return this.#first
  }

  async send(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      if (this.signal.aborted) return
      this.#ws.send(text)
      if (this.#ws.bufferedAmount > highWaterBytes) await this.#handedOver()
    }
  }

  async #handedOver(): Promise<void> {
    const ws = this.#ws
    if (ws.readyState !== ws.OPEN) return
    const { promise: taken, resolve } = Promise.withResolvers<void>()
    const gone = () => resolve()
    const cancel = this.#watch()
    this.signal.addEventListener('abort', gone)
    // The callback runs when all frames before the ping were handed to the operating system.
    ws.ping(undefined, undefined, () => resolve())
    await taken
    this.signal.removeEventListener('abort', gone)
    cancel()
  }

  close(): void {
    this.#ws.close(codes.normal)
  }

  #disconnectSlow(): void {
    this.#deps.tellSlow()
    this.#ws.close(codes.tryAgainLater, 'the reader is too slow')
    this.#gone.abort()
  }

  #watch(): () => void {
    const { clock } = this.#deps
    let left = this.#ws.bufferedAmount
    const look = () => {
      if (this.#ws.bufferedAmount < left) {
        left = this.#ws.bufferedAmount
        cancel = clock.after(slowMs, look)
        return
      }
      this.#disconnectSlow()
    }
    let cancel = clock.after(slowMs, look)
    return () => cancel()
  }
}

/**
 * Disconnects a caller that answers no ping: it may have vanished without closing the connection.
 * While bytes wait to be sent, the ping waits behind them, so a missing answer proves nothing.
 */
function pinged(ws: WebSocket, clock: Clock): () => void {
  let isAlive = true
  ws.on('pong', () => {
    isAlive = true
  })
  let cancel = () => {}
  const next = () => {
    cancel = clock.after(pingMs, () => {
      if (!isAlive && ws.bufferedAmount === 0) return ws.terminate()
      isAlive = false
      ws.ping()
      next()
    })
  }
  next()
  return () => cancel()
}
