import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { SpliceError, spliceErrors } from '../../base/errors/splice.ts'
import { longestBody } from '../../base/lib/body-bytes.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { InPortions } from '../../base/lib/in-portions.ts'
import { sayLast } from '../../base/lib/last-words.ts'
import { refuseRaw, statusLineOf } from '../../base/lib/raw-refusal.ts'
import { beginWaiting, endWaiting, isWaiting } from '../../base/lib/waiting-requests.ts'
import { problem } from './problem.ts'
import { withoutEmptySegments } from './request.ts'
import { EndOfTurn } from './respond.ts'
import type { Upgrades } from './sockets.ts'

export interface ServerOptions {
  /** `*` means all addresses, IPv6 and IPv4. */
  readonly host: string
  readonly port: number
  readonly keepAliveTimeoutMs?: number
}

/**
 * Handles a request completely, at once or later. Returns false, and does nothing, for a request
 * that it leaves to others.
 */
/** Answers a request before `fetch` is asked, or returns false. All reads are answered this way. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>

/**
 * The shortest time in which a request must arrive, and in which its caller must go on reading the
 * answer. A Canton participant has the same timeout.
 */
const patienceMs = 60_000

/**
 * The limit of a request's head. The longest valid parameter takes less than a fifth of it, even
 * percent-encoded and with four bytes for each character.
 */
const maxHeaderBytes = 160 * 1024

const fixedOptions = {
  maxHeaderSize: maxHeaderBytes,
  keepAlive: true,
  // If this were true, Node would answer a request without `host` by itself, with an empty body.
  // `hasBadHead` finds such requests, so that they get a JSON error.
  requireHostHeader: false,
  // With this option, Node treats a request without a body as already ended. A cache hit costs 7 %
  // less.
  optimizeEmptyRequests: true,
  // A chunk costs more than its bytes, and this bounds how many are taken in one turn.
  highWaterMark: 16_384,
}

const malformedRequestBody = JSON.stringify({ error: spliceErrors.malformedRequest.text })
const malformedRequestHeaders = {
  connection: 'close',
  'content-type': 'application/json',
  'content-length': String(malformedRequestBody.length),
  'cache-control': 'no-store',
  'x-bft-error': 'malformedRequest',
}
const malformedRequest = {
  statusLine: '400 Bad Request',
  headers: malformedRequestHeaders,
  body: malformedRequestBody,
}

const newestResponse = Symbol('newest response')
const isEnding = Symbol('is ending')

const unansweredCount = Symbol('unanswered requests')

const isStreaming = Symbol('is sending a stream')

const askedAt = Symbol('time of the newest request')

/**
 * A caller that ends its side of the connection within this time after its request waits for the
 * answer. One that ends it later has left, because it has a time-out.
 */
const halfCloseMs = 100

type AskedSocket = Socket & {
  [newestResponse]?: ServerResponse
  [unansweredCount]?: number
  [isStreaming]?: boolean
  /** Each further piece of what cannot be parsed is an error of its own. */
  [isEnding]?: boolean
  [askedAt]?: number
}

export interface Serving {
  readonly fetch: Fetch
  readonly shortcut?: Shortcut
  readonly upgrades?: Upgrades | undefined
}

export class HttpServer {
  readonly #server: Server
  readonly #clock: Clock
  readonly #upgrades: Upgrades | undefined
  readonly #sockets = new Set<AskedSocket>()
  #closing = false
  #requestsCut = 0

  private constructor(server: Server, clock: Clock, upgrades: Upgrades | undefined) {
    this.#server = server
    this.#clock = clock
    this.#upgrades = upgrades
  }

  static async listen(
    { host, port, keepAliveTimeoutMs = 75_000 }: ServerOptions,
    { fetch, shortcut = () => false, upgrades }: Serving,
    clock: Clock,
  ): Promise<HttpServer> {
    const patience = Math.max(patienceMs, keepAliveTimeoutMs)
    const isLast = (request: IncomingMessage) =>
      made.#closing && (request.socket as AskedSocket)[newestResponse]?.req === request
    const server = createServer({
      ...fixedOptions,
      keepAliveTimeout: keepAliveTimeoutMs,
      // To Node, a connection without a request yet is a request that does not arrive.
      requestTimeout: patience,
      headersTimeout: patience,
      ServerResponse: responsesUntil(isLast),
      shouldUpgradeCallback: (request: IncomingMessage) =>
        (upgrades?.wants(tidied(request)) ?? false) && !hasBadHead(request),
    })
    server.timeout = patience
    // Simple clients end their side of the connection after the request, and wait for the answer. By
    // default Node drops the answer. The types lack this property.
    Object.assign(server, { httpAllowHalfOpen: true })
    const made: HttpServer = new HttpServer(server, clock, upgrades)
    server.on('connection', (socket) => made.#keep(socket))
    const listener = getRequestListener(fetch as Parameters<typeof getRequestListener>[0], {
      // The host for HTTP/1.0 requests, which have no header `host`; some health checks still send
      // them.
      hostname: 'localhost',
      errorHandler: refuseTarget,
    })
    const others = new InPortions()
    const serve = (untidied: IncomingMessage, response: ServerResponse) => {
      const request = tidied(untidied)
      const socket = request.socket as AskedSocket
      if (!beginWaiting(socket)) return
      socket[newestResponse] = response
      socket[askedAt] = clock.now()
      socket[unansweredCount] = (socket[unansweredCount] ?? 0) + 1
      if (hasBadHead(request)) refuseHead(response)
      else if (!shortcut(request, response))
        others.add([() => !socket.destroyed && void listener(request, response)])
    }
    server.on('request', serve)
    // A server may ignore a value of `expect` that it does not know (RFC 9110, 10.1.1).
    server.on('checkExpectation', serve)
    // While an earlier request on the connection is unanswered, `100 Continue` would end up before
    // or inside the answer to that request.
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (!isWaiting(request.socket)) continueWhenRead(request, response)
      serve(request, response)
    })
    if (upgrades !== undefined)
      server.on('upgrade', (request, socket, head) => upgrades.take(request, socket, head))
    server.on('clientError', refuseUnparsed)
    server.on('connect', (_request, socket) => refuseRaw(socket, malformedRequest))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host === '*' ? undefined : host, () => {
        server.off('error', reject)
        resolve()
      })
    })
    return made
  }

  get requestsInProgress(): number {
    return this.#sockets.values().reduce((sum, socket) => sum + (socket[unansweredCount] ?? 0), 0)
  }

  get requestsCut(): number {
    return this.#requestsCut
  }

  #keep(socket: AskedSocket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.once('end', () => {
      const response = socket[newestResponse]
      if (response === undefined || response.writableEnded) return
      const isSoon = this.#clock.now() - (socket[askedAt] ?? 0) <= halfCloseMs
      if (!isSoon || socket[isStreaming] || isLongPoll(response.req)) socket.destroy()
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /**
   * Closes each connection after its last answer, or after `timeoutMs` at the latest.
   * @param beforeCut called before the remaining connections are cut; it makes pending requests
   * fail, and their error responses are still sent.
   */
  async close(timeoutMs: number, beforeCut: (error: Error) => void = () => {}): Promise<void> {
    this.#closing = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#upgrades?.close(timeoutMs)
    const cancel = this.#clock.after(timeoutMs, () => {
      this.#requestsCut = this.requestsInProgress
      // The first job fails the pending reads. The second one runs at the end of this turn of the
      // event loop, after their error responses were written.
      const turn = new EndOfTurn()
      turn.add(() => beforeCut(new SpliceError('stopping')))
      turn.add(() => this.#server.closeAllConnections())
    })
    await closed
    cancel()
  }
}

/**
 * Closes the connection after the response if the server stops, or if a long or chunked request
 * body is still arriving. Reading the rest would cost the daemon more than the caller.
 */
function responsesUntil(isLast: (request: IncomingMessage) => boolean): typeof ServerResponse {
  return class extends ServerResponse {
    override writeHead(status: number, reasonOrHeaders?: never, headers?: never): this {
      if (isLast(this.req) || stillReceivesLargeBody(this.req)) this.shouldKeepAlive = false
      endWaiting(this.req.socket)
      super.writeHead(status, reasonOrHeaders, headers)
      const type = (reasonOrHeaders as OutgoingHttpHeaders | undefined)?.['content-type']
      if (streamType.test(String(type))) beginStream(this.req.socket)
      return this
    }

    /** Node calls this method when the whole answer was handed to the operating system. */
    override detachSocket(socket: AskedSocket): void {
      socket[unansweredCount] = (socket[unansweredCount] ?? 1) - 1
      super.detachSocket(socket)
    }
  } as typeof ServerResponse
}

/** An answer of this type has no end, so a caller that ends its side of the connection has left. */
const streamType = /^(?:text\/event-stream|application\/x-ndjson)/

function beginStream(socket: AskedSocket): void {
  if (socket.readableEnded) socket.destroy()
  socket[isStreaming] = true
}

/** A list of the JSON Ledger API may wait for its elements for 20 s. */
function isLongPoll({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && url?.startsWith('/v2/') === true
}

/** Asks the caller for the body when it is read first. A request that is refused before is not asked for it. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const { _read } = request
  request._read = (size) => {
    request._read = _read
    if (!response.headersSent) response.writeContinue()
    request._read(size)
  }
}

function stillReceivesLargeBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > longestBody
}

function refuseTarget(error: unknown): Response {
  const isRequest = error instanceof Error && error.name === 'RequestError'
  return problem(isRequest ? new SpliceError('malformedRequest') : error, {})
}

function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  const asked = socket as AskedSocket
  const response = asked[newestResponse]
  // A caller gets the answer to a whole request, whatever follows it (RFC 9112, 9.3.2 and 9.6), and no
  // second one to a request that breaks off after its answer.
  const { complete: isWhole } = response?.req ?? {}
  if (response !== undefined && (isWhole ? !response.writableFinished : response.headersSent)) {
    if (response.writableFinished) sayLast(socket, '')
    else if (asked[isEnding] !== true) response.once('finish', () => socket.end())
    asked[isEnding] = true
    return
  }
  const statusLine = statusLineOf(error, socket)
  if (statusLine === undefined) socket.destroy()
  else refuseRaw(socket, { ...malformedRequest, statusLine })
}

/** All routers see the path after this step, so that each request has one target everywhere. */
function tidied(request: IncomingMessage): IncomingMessage {
  request.url = withoutEmptySegments(originForm(request))
  const { host } = request.headers
  if (host !== undefined && /^\[|:$/.test(host)) request.headers.host = hostAsUrlsHaveIt(host)
  return request
}

/** IPv6 addresses have several spellings, and a port may be empty (RFC 3986, 3.2). */
function hostAsUrlsHaveIt(host: string): string {
  const url = URL.parse(`http://${host}`)
  return url !== null && url.href === `http://${url.host}/` ? url.host : host
}

const absoluteForm = /^https?:\/\/([^/?#]*)/i

/**
 * Clients that take the daemon for a proxy send a whole URL, whose host counts more than the header
 * (RFC 9112, 3.2.2). `OPTIONS *` asks about the server.
 */
function originForm({ url = '', method, headers }: IncomingMessage): string {
  if (url.startsWith('/')) return url
  if (url === '*' && method === 'OPTIONS') return '/'
  const [start, host] = absoluteForm.exec(url) ?? []
  if (start === undefined) return url
  if (headers.host !== undefined) headers.host = host
  const rest = url.slice(start.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** The parser refuses a repeated `content-length` or `transfer-encoding`. */
const single = ['host', 'authorization', 'content-type']

/**
 * HTTP/1.1 requires the header `host`, and once (RFC 9112, 3.2). A proxy might read another one of
 * two headers than the daemon.
 */
function hasBadHead({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  if (httpVersion === '1.1' && headers.host === undefined) return true
  // The parser reads only chunks, and ignores the codings before them (RFC 9112, 6.1).
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') return true
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    // Most names have other lengths.
    if (name.length !== 4 && name.length !== 12 && name.length !== 13) continue
    const bit = 1 << (single.indexOf(name.toLowerCase()) + 1)
    if (bit > 1 && (seen & bit) !== 0) return true
    seen |= bit
  }
  return false
}

function refuseHead(response: ServerResponse): void {
  response.writeHead(400, malformedRequestHeaders).end(malformedRequestBody)
}
