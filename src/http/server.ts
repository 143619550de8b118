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
  /** 0 takes a free port. */
  readonly port: number
}

/** Handles a request completely, now or later. Returns false if it left the request untouched. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>

/** Idle connections are closed after this time, as by a participant. A reader that never reads counts as idle. */
const idleTimeoutMs = 60_000

/** A whole request must arrive within this time. */
const requestTimeoutMs = 60_000

/** Fits a name of 2,066 characters of four bytes each, percent-encoded. */
const maxHeaderBytes = 160 * 1024

const malformed = JSON.stringify({ error: spliceErrors.malformedRequest.text })

/** Key on a socket: the newest request on that connection. */
const newest = Symbol('newest request')

/** Key on a socket: how many of its requests have no whole answer yet. */
const unanswered = Symbol('unanswered requests')

type Asked = Socket & { [newest]?: IncomingMessage; [unanswered]?: number }

/** The handlers of one address. */
export interface Serving {
  readonly fetch: Fetch
  /**
   * Tried before `fetch`. A request that it takes waits for at most one portion of the other requests
   * (`InPortions`).
   */
  readonly shortcut?: Shortcut
  /** Takes over upgrade requests. The server ignores any other wish to upgrade. */
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

  /** Rejects if the address cannot be bound. */
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
      // HTTP/1.0 has no host header, and health checks still use it.
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

  /** How many requests have begun and have no whole answer yet. */
  get requestsInProgress(): number {
    return this.#sockets.values().reduce((sum, socket) => sum + (socket[unanswered] ?? 0), 0)
  }

  /** How many requests got no whole answer because `close` cut them. */
  get requestsCut(): number {
    return this.#requestsCut
  }

  #keep(socket: Asked): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /** Example: `http://127.0.0.1:8080` */
  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /**
   * Stops accepting connections and closes idle ones. Closes each other connection after its pending answer, or after
   * `timeoutMs` at the latest.
   * @param beforeCut called before connections are cut. Errors that it sends are still delivered.
   */
  async close(timeoutMs: number, beforeCut: (error: Error) => void = () => {}): Promise<void> {
    this.#closing = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#upgrades?.close(timeoutMs)
    const cancel = this.#clock.after(timeoutMs, () => {
      this.#requestsCut = this.requestsInProgress
      // The errors leave in this turn of the event loop.
      const turn = new EndOfTurn()
      turn.add(() => beforeCut(new SpliceError('stopping')))
      turn.add(() => this.#server.closeAllConnections())
    })
    await closed
    cancel()
  }
}

/**
 * Marks an answer as the last one of its connection in two cases. First, the server is closing and no other answer is
 * pending there. Second, the answer precedes the end of a body that is chunked or longer than any path takes: to read the
 * rest would cost the daemon more than it costs the caller to send it.
 */
function responsesUntil(isLast: (request: IncomingMessage) => boolean): typeof ServerResponse {
  return class extends ServerResponse {
    override writeHead(status: number, reasonOrHeaders?: never, headers?: never): this {
      if (isLast(this.req) || sendsOn(this.req)) this.shouldKeepAlive = false
      endWaiting(this.req.socket)
      return super.writeHead(status, reasonOrHeaders, headers)
    }

    /** Node calls it when the whole answer was handed to the operating system. */
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

/** Answers a request whose target or host makes no valid URL. */
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

/** HTTP/1.1 requires a host header (RFC 9112, 3.2). */
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
