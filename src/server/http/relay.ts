import {
  Agent,
  request as ask,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex, Writable } from 'node:stream'
import { CantonError, PlainError, UnknownLedgerPath } from '../../base/errors/canton.ts'
import { RefusedToken } from '../../base/errors/refused-token.ts'
import { bearerOf } from '../../base/lib/bearer.ts'
import { clientOf } from '../../base/lib/client-address.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { sayLast } from '../../base/lib/last-words.ts'
import { withoutTrailing } from '../../base/lib/without-trailing.ts'
import type { Events } from '../../base/telemetry/events.ts'
import { ParticipantConnector } from '../../registry/ledger/participant/connect.ts'
import type { Verifier } from '../auth/verifier.ts'
import { offeredBearer } from './bearer.ts'
import {
  copy,
  endToEnd,
  ensureRelayed,
  headOf,
  isLedgerApi,
  needsToken,
  Places,
  type Relayed,
  Silence,
  withMore,
  withoutOurs,
} from './passing-on.ts'
import { type Problem, rawProblem } from './problem.ts'
import { callerLeftStatus } from './read-lanes.ts'
import { requestIdOf } from './request.ts'
import type { Headers } from './respond.ts'
import { identity } from './send-answer.ts'
import type { Serving, Shortcut } from './server.ts'
import { isWebSocket, type Upgrades } from './sockets.ts'

export interface RelayLimits {
  readonly requestBytes: number
  readonly answerBytes: number
  /** The longest time in which a request or its answer may stand still. */
  readonly silenceMs: number
  /** The longest time without a byte on a WebSocket. */
  readonly idleSocketMs: number
  /** Requests and WebSockets at once, of one client address and in all. */
  readonly perClient: number
  readonly inAll: number
}

/**
 * A caller can make Canton wait for up to 60 s (the header `Request-Timeout`). On a WebSocket,
 * Canton sends a checkpoint at least every 75 s.
 */
const usualLimits: RelayLimits = {
  requestBytes: 32 * 1024 * 1024,
  answerBytes: 256 * 1024 * 1024,
  silenceMs: 65_000,
  idleSocketMs: 120_000,
  perClient: 256,
  inAll: 1_024,
}

export interface RelayOptions {
  readonly url: string
  readonly relay: Relayed
  readonly limits?: Partial<RelayLimits>
}

export interface RelayDeps {
  readonly clock: Clock
  readonly verifier: Verifier
  readonly refuse: (error: unknown, request: IncomingMessage) => Problem
  /** The headers of each answer, which are added where the participant does not send them. */
  readonly common: Headers
  readonly events: Pick<Events, 'forRoute' | 'ledgerUnreadable'>
}

const connectTimeoutMs = 5_000
/** The daemon closes a free connection before a participant, or a proxy in between, does. */
const keepFreeMs = 4_000
const mostInterimAnswers = 16
/** RFC 9112, 4. */
const reasonPhrase = /^[\t\x20-\x7e\x80-\xff]*$/
const withoutBody = ['GET', 'HEAD', 'DELETE', 'TRACE']

interface ParticipantAnswer {
  readonly answer: IncomingMessage
  readonly upgraded?: { readonly socket: Socket; readonly head: Buffer }
}

/**
 * Passes requests and WebSockets below `/v2` to a participant, and its answers back, as they are but
 * for the headers of a connection.
 */
export class Relay implements Upgrades, AsyncDisposable {
  readonly #relayed: Relayed
  readonly #limits: RelayLimits
  readonly #deps: RelayDeps
  readonly #url: URL
  readonly #connector: ParticipantConnector
  readonly #agent = new Agent({ keepAlive: true, timeout: keepFreeMs })
  readonly #places: Places
  readonly #sockets = new Set<Duplex>()

  constructor({ url, relay, limits }: RelayOptions, deps: RelayDeps) {
    this.#relayed = relay
    this.#limits = { ...usualLimits, ...limits }
    this.#deps = deps
    this.#url = new URL(url)
    this.#connector = new ParticipantConnector(url, connectTimeoutMs, deps.clock)
    this.#agent.createConnection = () => this.#connector.open()
    this.#places = new Places(this.#limits)
  }

  /** The number of WebSockets. */
  get readers(): number {
    return this.#sockets.size
  }

  /** What this relay does not serve goes on to `shortcut`. */
  before(shortcut: Shortcut): Pick<Serving, 'upgrades' | 'shortcut'> {
    return {
      upgrades: this,
      shortcut: (...exchange) => this.tryServe(...exchange) || shortcut(...exchange),
    }
  }

  tryServe(request: IncomingMessage, response: ServerResponse): boolean {
    const { method = '', url = '', headers } = request
    if (!isLedgerApi(url) || method === 'OPTIONS') return false
    const { clock, events } = this.#deps
    const began = clock.now()
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : callerLeftStatus
      const seconds = (clock.now() - began) / 1000
      events.forRoute('relay').served(method, status, seconds, requestIdOf(headers))
    })
    this.#serve(request, response)
      .catch((error: unknown) => this.#refuse(error, request, response))
      .catch(() => response.destroy())
    return true
  }

  wants(request: IncomingMessage): boolean {
    return isWebSocket(request) && request.httpVersion === '1.1' && isLedgerApi(request.url ?? '')
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // A socket error without a listener would end the process.
    socket.on('error', () => {})
    this.#open(request, socket as Socket, head).catch((error: unknown) => {
      if (!socket.destroyed)
        sayLast(socket, rawProblem(this.#deps.refuse(told(error), request)), this.#deps.clock)
    })
  }

  close(): void {
    for (const socket of this.#sockets) (socket as Socket).destroySoon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    this.#agent.destroy()
    this.#connector[Symbol.dispose]()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { requestBytes, answerBytes, silenceMs } = this.#limits
    using _place = await this.#admit(request)
    if (response.destroyed) return
    const length = request.headers['content-length']
    if (Number(length ?? 0) > requestBytes) throw new PlainError('bodyTooLarge', { limit: requestBytes })
    const isChunked = request.headers['transfer-encoding'] !== undefined
    const outgoing = this.#ask(request, isChunked ? ['transfer-encoding', 'chunked'] : lengthOf(request))
    const answered = answerTo(outgoing)
    using silence = new Silence(this.#deps.clock)
    // The server's own limit would cut the caller without an answer.
    request.socket.setTimeout(0)
    silence.watch(silenceMs, () => {
      outgoing.destroy(silent(silenceMs))
      if (response.headersSent || !request.complete) response.destroy()
    })
    response.once('close', () => outgoing.destroy())
    if (isChunked || length !== undefined)
      sendBody(request, outgoing, requestBytes, silence).catch((error: Error) => outgoing.destroy(error))
    else outgoing.end()
    let isWhole = false
    try {
      const { answer, upgraded } = await answered
      if (upgraded !== undefined) {
        upgraded.socket.destroy()
        throw new Error('the participant switched protocols')
      }
      const { statusCode = 0, statusMessage, headers } = answer
      if (Number(headers['content-length'] ?? 0) > answerBytes) throw new Error('the answer is too long')
      if (!reasonPhrase.test(statusMessage ?? '')) throw new Error('the reason phrase has control characters')
      response.writeHead(statusCode, statusMessage, this.#headersOf(answer, request))
      isWhole = await copy(answer, response, answerBytes, silence.moved)
      if (!isWhole) throw new Error('the answer is too long')
      await ended(response)
    } finally {
      if (!isWhole || !outgoing.writableFinished) outgoing.destroy()
    }
  }

  async #open(request: IncomingMessage, caller: Socket, head: Buffer): Promise<void> {
    const { answerBytes, silenceMs, idleSocketMs } = this.#limits
    using _place = await this.#admit(request)
    if (caller.destroyed) return
    const outgoing = this.#ask(request, ['connection', 'Upgrade', 'upgrade', 'websocket'])
    using silence = new Silence(this.#deps.clock)
    silence.watch(silenceMs, () => outgoing.destroy(silent(silenceMs)))
    caller.once('close', () => outgoing.destroy())
    outgoing.end()
    const { answer, upgraded } = await answerTo(outgoing)
    if (upgraded === undefined) {
      caller.write(headOf(answer, [...this.#headersOf(answer, request), 'connection', 'close']))
      await copy(answer, caller, answerBytes, silence.moved).catch(() => false)
      return sayLast(caller, '', this.#deps.clock)
    }
    const participant = upgraded.socket.setTimeout(0)
    participant.on('error', () => {})
    caller.setTimeout(0).setNoDelay()
    caller.write(headOf(answer, withoutOurs(answer.rawHeaders)))
    caller.unshift(head)
    participant.unshift(upgraded.head)
    silence.watch(idleSocketMs, () => caller.destroy())
    await Promise.allSettled([pass(caller, participant, silence), pass(participant, caller, silence)])
    caller.destroy()
    participant.destroy()
  }

  /** @throws UnknownLedgerPath, CantonError, PlainError */
  async #admit(request: IncomingMessage): Promise<Disposable> {
    const { method = '', url = '', headers } = request
    ensureRelayed(method, url, this.#relayed)
    const place = this.#places.take(clientOf(request))
    try {
      if (needsToken(url)) await this.#checkToken(headers)
      return place
    } catch (error) {
      place[Symbol.dispose]()
      throw error
    }
  }

  async #checkToken(headers: IncomingHttpHeaders): Promise<void> {
    const verified = await this.#deps.verifier.verify(bearerOf(offeredBearer(headers)))
    if (verified.kind === 'ok') return
    const cause = verified.kind === 'missing' ? undefined : new RefusedToken(verified.reason)
    if (verified.kind === 'unavailable')
      throw new CantonError('notRunning', { service: 'The verifier of tokens' }, { cause })
    throw new CantonError('unauthenticated', {}, { cause })
  }

  #ask(request: IncomingMessage, connection: readonly string[]): ClientRequest {
    const { host, pathname } = this.#url
    const outgoing = ask({
      agent: this.#agent,
      method: request.method,
      path: `${withoutTrailing('/', pathname)}${request.url}`,
      headers: ['host', host, ...endToEnd(request, ['host', 'expect', 'content-length']), ...connection],
      maxHeaderSize: 65_536,
    })
    let interim = 0
    return outgoing.on('information', () => {
      if (++interim > mostInterimAnswers) outgoing.destroy(new Error('there are too many interim answers'))
    })
  }

  #headersOf(answer: IncomingMessage, request: IncomingMessage): string[] {
    // A caller would wait for the body that the length announces (RFC 9110, 8.6).
    const raw = endToEnd(answer, answer.statusCode === 204 ? ['content-length'] : [])
    return withMore(withoutOurs(raw), { ...this.#deps.common, ...identity(request) })
  }

  #refuse(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const { refuse, events } = this.#deps
    if (response.destroyed) return
    if (!response.headersSent) {
      const { status, headers, body } = refuse(told(error), request)
      response.writeHead(status, headers).end(body)
      return
    }
    events.ledgerUnreadable(error, requestIdOf(request.headers))
    response.destroy()
  }
}

/** Without a length, Node would send an empty body in chunks. */
function lengthOf({ method = '', headers }: IncomingMessage): readonly string[] {
  const length = headers['content-length'] ?? (withoutBody.includes(method) ? undefined : '0')
  return length === undefined ? [] : ['content-length', length]
}

function answerTo(outgoing: ClientRequest): Promise<ParticipantAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ParticipantAnswer>()
  outgoing.on('response', (answer) => resolve({ answer }))
  outgoing.on('upgrade', (answer, socket, head) => resolve({ answer, upgraded: { socket, head } }))
  outgoing.on('error', reject)
  promise.catch(() => {})
  return promise
}

async function sendBody(
  request: IncomingMessage,
  outgoing: ClientRequest,
  most: number,
  { moved }: Silence,
): Promise<void> {
  if (!(await copy(request, outgoing, most, moved))) throw new PlainError('bodyTooLarge', { limit: most })
  outgoing.end()
}

async function pass(from: Socket, to: Socket, { moved }: Silence): Promise<void> {
  try {
    await copy(from, to, Number.POSITIVE_INFINITY, moved)
  } finally {
    await ended(to)
  }
}

/** Resolves when everything was handed to the operating system, or the connection is closed. */
function ended(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (to.destroyed) return resolve()
    to.once('close', resolve).end(resolve)
  })
}

function silent(ms: number): CantonError {
  return new CantonError('participantSilent', { seconds: ms / 1000 })
}

function told(error: unknown): unknown {
  const isTold =
    error instanceof CantonError || error instanceof PlainError || error instanceof UnknownLedgerPath
  return isTold ? error : new CantonError('participantBroke', {}, { cause: error })
}
