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
 * Handles a request completely, now or later. Returns false, and does nothing, for a request that it does not
 * handle.
 */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>

/**
 * The server closes a connection after this many idle milliseconds, as a Canton participant does. A
 * connection whose caller does not read its answer counts as idle.
 */
const idleTimeoutMs = 60_000

/** A whole request must arrive within this many milliseconds. */
const requestTimeoutMs = 60_000

/**
 * The maximum size of a request's head in bytes. The longest parameter has `maxText` characters. It takes
 * less than a fifth of this limit even if every character has four bytes and all bytes are percent-encoded.
 */
const maxHeaderBytes = 160 * 1024

const malformed = JSON.stringify({ error: spliceErrors.malformedRequest.text })

/** The key of the property that holds a socket's newest request. */
const newest = Symbol('newest request')

/** The key of the property that counts a socket's requests that are not answered completely. */
const unanswered = Symbol('unanswered requests')

type Asked = Socket & { [newest]?: IncomingMessage; [unanswered]?: number }

/** The functions that handle the requests to one listening address. */
export interface Serving {
  readonly fetch: Fetch
  /**
   * Handles some requests before `fetch` gets them. The server hands all other requests to `fetch` in
   * portions (`InPortions`). A request that the shortcut handles thus waits for one portion at most.
   */
  readonly shortcut?: Shortcut
  /**
   * Takes over connections that request a WebSocket. A request for any other upgrade is handled as if it
   * requested no upgrade.
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
      // If this were true, Node itself would reject a request without the header `host`, with an empty body.
      // `isWithoutHost` detects such requests instead, so that they get the same JSON error as other
      // malformed requests.
      requireHostHeader: false,
      // With this option, Node treats the body stream of a request without a body as already ended. A cache
      // hit then costs 7 % less.
      optimizeEmptyRequests: true,
      ServerResponse: responsesUntil(isLast),
      shouldUpgradeCallback: (request: IncomingMessage) => upgrades?.wants(request) ?? false,
    })
    server.timeout = idleTimeoutMs
    const made: HttpServer = new HttpServer(server, clock, upgrades)
    server.on('connection', (socket) => made.#keep(socket))
    const listener = getRequestListener(fetch as Parameters<typeof getRequestListener>[0], {
      // The host for requests without the header `host`. HTTP/1.0 does not have that header, and some health
      // checks still use HTTP/1.0.
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
    // RFC 9110, 10.1.1 permits a server to ignore a value of the header `expect` that it does not know. Such
    // a request is served like any other.
    server.on('checkExpectation', serve)
    // A caller may send several requests without waiting for answers. While an earlier request on the
    // connection is unanswered, `100 Continue` would end up before or inside the answer to that request.
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

  /** The number of requests whose answers were not sent completely, because `close` cut their connections. */
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

  /** The base URL of the server, such as `http://127.0.0.1:8080`. */
  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /**
   * Stops accepting connections and closes idle connections. Closes a connection with pending answers after
   * its last answer, or after `timeoutMs` at the latest.
   * @param beforeCut called after `timeoutMs`, before the remaining connections are cut. It can make pending
   * requests fail: their error responses are still sent.
   */
  async close(timeoutMs: number, beforeCut: (error: Error) => void = () => {}): Promise<void> {
    this.#closing = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#upgrades?.close(timeoutMs)
    const cancel = this.#clock.after(timeoutMs, () => {
      this.#requestsCut = this.requestsInProgress
      // The first job runs at once and fails the reads that are in progress, so that their callers get
      // errors. The second job runs at the end of this turn of the event loop, after these errors were
      // written.
      const turn = new EndOfTurn()
      turn.add(() => beforeCut(new SpliceError('stopping')))
      turn.add(() => this.#server.closeAllConnections())
    })
    await closed
    cancel()
  }
}

/**
 * Returns a subclass of `ServerResponse` that closes the connection after its response in two cases:
 * - The server is closing, and no later request on the connection waits.
 * - The request body is chunked or longer than any path accepts, and its end has not arrived. Reading the
 *   rest of the body would cost the daemon more than sending it costs the caller.
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

/**
 * Makes the response to an error that was thrown before or in `fetch`, for example because the path and the
 * host form no valid URL.
 */
function refuseTarget(error: unknown): Response {
  const isRequest = error instanceof Error && error.name === 'RequestError'
  return problem(isRequest ? new SpliceError('malformedRequest') : error, {})
}

/**
 * Closes a connection whose bytes cannot be read as a request: they are not HTTP, the headers are too long,
 * or the request arrives too slowly. If the socket is still writable, first sends an error in Splice's JSON
 * format.
 */
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
