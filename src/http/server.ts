import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { SpliceError, spliceErrors } from '../errors/splice.ts'
import { longestBody } from '../lib/body-bytes.ts'
import type { Clock } from '../lib/clock.ts'
import { EndOfTurn } from '../lib/end-of-turn.ts'
import { InPortions } from '../lib/in-portions.ts'
import { refuseRaw, statusLineOf } from '../lib/raw-refusal.ts'
import { beginWaiting, endWaiting, isWaiting } from '../lib/waiting-requests.ts'
import { problem } from './problem.ts'
import type { Upgrades } from './sockets.ts'

export interface ServerOptions {
  readonly host: string
  /** The port to listen on. 0 means any free port. */
  readonly port: number
}

/**
 * Handles a request completely, now or later. Returns false, and does nothing, if it does not handle this
 * request.
 */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>

/**
 * The server closes a connection that is idle for this many milliseconds, as a participant does. A caller
 * that reads nothing of its answer counts as idle.
 */
const idleTimeoutMs = 60_000

/** The most milliseconds until a whole request has arrived. */
const requestTimeoutMs = 60_000

/**
 * The maximum bytes of a request's head. A name of 2,066 characters of four bytes each, percent-encoded, takes
 * less than a fifth of it.
 */
const maxHeaderBytes = 160 * 1024

const malformed = JSON.stringify({ error: spliceErrors.malformedRequest.text })

/** The key of the property in which a socket has its newest request. */
const newest = Symbol('newest request')

/**
 * The key of the property in which a socket has the number of its requests that are not answered completely.
 */
const unanswered = Symbol('unanswered requests')

type Asked = Socket & { [newest]?: IncomingMessage; [unanswered]?: number }

/** The functions with which an address handles its requests. */
export interface Serving {
  readonly fetch: Fetch
  /**
   * Handles some requests before `fetch` gets them. Such a request waits for at most one portion of the other
   * requests (`InPortions`).
   */
  readonly shortcut?: Shortcut
  /**
   * Takes over connections on which a WebSocket is requested. The server ignores requests for any other
   * upgrade.
   */
  readonly upgrades?: Upgrades | undefined
}

export class HttpServer {
  readonly #server: Server
  readonly #clock: Clock
  readonly #upgrades: Upgrades | undefined
  readonly #sockets = new Set<Asked>()
  #closing = false
  #requestsCut = 0

  private constructor(server: Server, clock: Clock, upgrades: Upgrades | undefined) {
    this.#server = server
    this.#clock = clock
    this.#upgrades = upgrades
  }

  /** Starts a server. Rejects if it cannot bind the address. */
  static async listen(
    { host, port }: ServerOptions,
    { fetch, shortcut = () => false, upgrades }: Serving,
    clock: Clock,
  ): Promise<HttpServer> {
    const isLast = (request: IncomingMessage) =>
      made.#closing && (request.socket as Asked)[newest] === request
    const server = createServer({
      maxHeaderSize: maxHeaderBytes,
      keepAlive: true,
      requestTimeout: requestTimeoutMs,
      // `isWithoutHost` rejects the request instead, so that the error has the form of all errors.
      requireHostHeader: false,
      // The stream of a request without a body then has ended from the beginning, which makes a hit 7 % cheaper.
      optimizeEmptyRequests: true,
      ServerResponse: responsesUntil(isLast),
      shouldUpgradeCallback: (request: IncomingMessage) => upgrades?.wants(request) ?? false,
    })
    server.timeout = idleTimeoutMs
    const made: HttpServer = new HttpServer(server, clock, upgrades)
    server.on('connection', (socket) => made.#keep(socket))
    const listener = getRequestListener(fetch as Parameters<typeof getRequestListener>[0], {
      // The host of requests without a host header. HTTP/1.0 has none, and some health checks still use it.
      hostname: 'localhost',
      errorHandler: refuseTarget,
    })
    const others = new InPortions()
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      const socket = request.socket as Asked
      if (!beginWaiting(socket)) return
      socket[newest] = request
      socket[unanswered] = (socket[unanswered] ?? 0) + 1
      if (isWithoutHost(request)) refuseHead(response)
      else if (!shortcut(request, response))
        others.add([() => !socket.destroyed && void listener(request, response)])
    }
    server.on('request', serve)
    // The server ignores unknown expectations, which RFC 9110, 10.1.1 permits.
    server.on('checkExpectation', serve)
    // A `100 Continue` sent while an earlier answer is pending would end up in the middle of that answer.
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (!isWaiting(request.socket)) response.writeContinue()
      serve(request, response)
    })
    if (upgrades !== undefined)
      server.on('upgrade', (request, socket, head) => upgrades.take(request, socket, head))
    server.on('clientError', refuseUnparsed)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        resolve()
      })
    })
    return made
  }

  /** The number of requests that have begun and are not answered completely. */
  get requestsInProgress(): number {
    return this.#sockets.values().reduce((sum, socket) => sum + (socket[unanswered] ?? 0), 0)
  }

  /** The number of requests that were not answered completely because `close` cut their connections. */
  get requestsCut(): number {
    return this.#requestsCut
  }

  #keep(socket: Asked): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Example: `http://127.0.0.1:8080` */
  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /**
   * Stops accepting connections and closes idle ones. Closes each other connection after its pending answer,
   * or after `timeoutMs` at the latest.
   * @param beforeCut called before the remaining connections are cut. Answers that it causes are still sent.
   */
  async close(timeoutMs: number, beforeCut: (error: Error) => void = () => {}): Promise<void> {
    this.#closing = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#upgrades?.close(timeoutMs)
    const cancel = this.#clock.after(timeoutMs, () => {
      this.#requestsCut = this.requestsInProgress
      // The first of these runs at once, and the second at the end of this turn of the event loop, when the
      // errors have been sent.
      const turn = new EndOfTurn()
      turn.add(() => beforeCut(new SpliceError('stopping')))
      turn.add(() => this.#server.closeAllConnections())
    })
    await closed
    cancel()
  }
}

/**
 * Returns the class of responses. A response closes its connection in two cases. First, the server is
 * closing, and no later request on the connection waits. Second, the response is sent before the end of the
 * request's body, and the body is chunked or longer than any path accepts: the daemon would spend more on
 * reading the rest than the caller spends on sending it.
 */
function responsesUntil(isLast: (request: IncomingMessage) => boolean): typeof ServerResponse {
  return class extends ServerResponse {
    override writeHead(status: number, reasonOrHeaders?: never, headers?: never): this {
      if (isLast(this.req) || sendsOn(this.req)) this.shouldKeepAlive = false
      endWaiting(this.req.socket)
      return super.writeHead(status, reasonOrHeaders, headers)
    }

    /** Node calls this method when the whole answer was handed to the operating system. */
    override detachSocket(socket: Asked): void {
      socket[unanswered] = (socket[unanswered] ?? 1) - 1
      super.detachSocket(socket)
    }
  } as typeof ServerResponse
}

function sendsOn({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > longestBody
}

/** Makes the answer to a request whose path or host forms no valid URL. */
function refuseTarget(error: unknown): Response {
  const isRequest = error instanceof Error && error.name === 'RequestError'
  return problem(isRequest ? new SpliceError('malformedRequest') : error, {})
}

/** Answers bytes that are not HTTP with Splice's error form, and closes the connection. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  const statusLine = statusLineOf(error, socket)
  if (statusLine === undefined) socket.destroy()
  else refuseRaw(socket, { statusLine, body: malformed })
}

/** Whether a request lacks the header `host`, which HTTP/1.1 requires (RFC 9112, 3.2). */
function isWithoutHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined
}

function refuseHead(response: ServerResponse): void {
  const headers = {
    connection: 'close',
    'content-type': 'application/json',
    'content-length': malformed.length,
  }
  response.writeHead(400, headers).end(malformed)
}
