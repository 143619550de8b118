import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { SpliceError, spliceErrors } from '../errors/splice.ts'
import type { Clock } from '../lib/clock.ts'
import { InPortions } from '../lib/in-portions.ts'
import { refuseRaw, statusLineOf } from '../lib/raw-refusal.ts'
import { beginWaiting, endWaiting, isWaiting } from '../lib/waiting-requests.ts'
import { problem } from './problem.ts'
import type { Upgrades } from './sockets.ts'

export interface ServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** Takes a request and answers it whole, at once or later, or leaves it as it was and returns false. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>

/** A connection on which nothing moves for so long is closed, as by a participant: a reader that never reads, too. */
const idleTimeoutMs = 60_000

/** A request has come as a whole by then. */
const requestTimeoutMs = 60_000

/** A name of 2,066 characters of four bytes, percent-encoded, fits. */
const maxHeaderBytes = 160 * 1024

const malformed = JSON.stringify({ error: spliceErrors.malformedRequest.text })

/** On a socket: the request whose answer is the last one that its connection waits for. */
const newest = Symbol('newest request')

type Asked = Socket & { [newest]?: IncomingMessage }

/** What answers the requests to an address. */
export interface Serving {
  readonly fetch: Fetch
  /** Is tried before `fetch`, and does not wait for more than a portion of what others asked for. */
  readonly shortcut?: Shortcut
  /** Takes requests that want to be something else than HTTP; any other such wish is ignored. */
  readonly upgrades?: Upgrades | undefined
}

/** One listening address. */
export class HttpServer {
  readonly #server: Server
  readonly #clock: Clock
  readonly #upgrades: Upgrades | undefined
  #closing = false

  private constructor(server: Server, clock: Clock, upgrades: Upgrades | undefined) {
    this.#server = server
    this.#clock = clock
    this.#upgrades = upgrades
  }

  /** Rejects where the address cannot be bound. */
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
      // Answered here, in the form of all errors.
      requireHostHeader: false,
      ServerResponse: responsesUntil(isLast),
      shouldUpgradeCallback: (request: IncomingMessage) => upgrades?.wants(request) ?? false,
    })
    server.timeout = idleTimeoutMs
    const made: HttpServer = new HttpServer(server, clock, upgrades)
    const listener = getRequestListener(fetch as Parameters<typeof getRequestListener>[0], {
      // HTTP/1.0 has no host header, and health checks still speak it.
      hostname: 'localhost',
      errorHandler: refuseTarget,
    })
    const others = new InPortions()
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      const socket = request.socket as Asked
      if (!beginWaiting(socket)) return
      socket[newest] = request
      if (isWithoutHost(request)) refuseHead(response)
      else if (!shortcut(request, response))
        others.add([() => !socket.destroyed && void listener(request, response)])
    }
    server.on('request', serve)
    // An expectation that nobody knows is ignored, which RFC 9110, 10.1.1 leaves to the server.
    server.on('checkExpectation', serve)
    // Behind an answer that is not out yet the word to go on would get into the middle of it.
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

  /** `http://127.0.0.1:8080` */
  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /**
   * No new connections; idle ones are closed, and each of the others after the answer it waits for. What is not done
   * after `timeoutMs` is cut.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#closing = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#upgrades?.close(timeoutMs)
    const cancel = this.#clock.after(timeoutMs, () => this.#server.closeAllConnections())
    await closed
    cancel()
  }
}

/**
 * While the server is closing, the last answer that a connection waits for says that no other follows it. So does one that
 * comes before its request has come whole, where that comes in chunks: reading on costs more than it did to send them.
 */
function responsesUntil(isLast: (request: IncomingMessage) => boolean): typeof ServerResponse {
  return class extends ServerResponse {
    override writeHead(status: number, reasonOrHeaders?: never, headers?: never): this {
      if (isLast(this.req) || sendsMoreChunks(this.req)) this.shouldKeepAlive = false
      endWaiting(this.req.socket)
      return super.writeHead(status, reasonOrHeaders, headers)
    }
  } as typeof ServerResponse
}

function sendsMoreChunks({ complete, headers }: IncomingMessage): boolean {
  return !complete && headers['transfer-encoding'] !== undefined
}

/** A target or a host that makes no URL. */
function refuseTarget(error: unknown): Response {
  const isRequest = error instanceof Error && error.name === 'RequestError'
  return problem(isRequest ? new SpliceError('malformedRequest') : error, {})
}

/** What is no HTTP gets Splice's error form and no more of this connection. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex): void {
  const statusLine = statusLineOf(error, socket)
  if (statusLine === undefined) socket.destroy()
  else refuseRaw(socket, { statusLine, body: malformed })
}

/** RFC 9112, 3.2: HTTP/1.1 names its host. */
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
