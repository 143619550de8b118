import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'

/**
 * A request as it arrived: its head as text, its body, and how many requests arrived before it on the same
 * socket.
 */
export interface HeardRequest {
  readonly head: string
  readonly body: string
  readonly nth: number
}

/** The reaction of the server to a request. It may do anything that a socket can do. */
export type Behaviour = (socket: Socket, request: HeardRequest) => void

/**
 * A server that accepts TCP connections and does with them whatever a test wants. Tests can wait for what it
 * has received.
 */
export class HostileServer implements AsyncDisposable {
  readonly requests: HeardRequest[] = []
  /** The number of connections that were accepted so far. */
  accepted = 0
  /** The server name (SNI) in each TLS handshake; false if it had none. */
  readonly serverNames: (string | false)[] = []
  readonly #server: Server
  readonly #scheme: string
  readonly #sockets = new Set<Socket>()
  readonly #watchers = new Set<() => void>()
  #behaviour: Behaviour = () => {}

  private constructor(tls: { cert: string; key: string } | undefined) {
    this.#scheme = tls === undefined ? 'http' : 'https'
    const accept = (socket: Socket) => this.#accept(socket)
    this.#server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept)
  }

  static async listen(behaviour: Behaviour, tls?: { cert: string; key: string }): Promise<HostileServer> {
    const server = new HostileServer(tls)
    server.#behaviour = behaviour
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`
  }

  /** The number of connections that are open now. */
  get open(): number {
    return this.#sockets.size
  }

  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour
  }

  /** Closes every open connection with a FIN. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.end()
  }

  /** Resolves when the predicate is true. It is checked whenever a connection or a request begins or ends. */
  until(predicate: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!predicate()) return
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
      look()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(socket: Socket): void {
    this.accepted++
    if (socket instanceof TLSSocket) this.serverNames.push(socket.servername ?? false)
    this.#sockets.add(socket)
    let nth = 0
    let buffered = ''
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#look()
    })
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1')
      for (let parsed = tryParse(buffered); parsed !== undefined; parsed = tryParse(buffered)) {
        buffered = parsed.rest
        const request = { head: parsed.head, body: parsed.body, nth: nth++ }
        this.requests.push(request)
        this.#behaviour(socket, request)
      }
      this.#look()
    })
    this.#look()
  }

  #look(): void {
    for (const look of this.#watchers) look()
  }
}

function tryParse(text: string): { head: string; body: string; rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  const bodyStart = end + 4
  if (text.length < bodyStart + length) return undefined
  return { head, body: text.slice(bodyStart, bodyStart + length), rest: text.slice(bodyStart + length) }
}

/** Returns the bytes of a well-formed response with a `content-length`. */
export function response(
  body: string | Buffer,
  options: { status?: string; headers?: readonly string[] } = {},
): Buffer {
  const content = Buffer.from(body)
  const head = [
    `HTTP/1.1 ${options.status ?? '200 OK'}`,
    'content-type: application/json',
    `content-length: ${content.length}`,
    ...(options.headers ?? []),
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), content])
}

/** Returns the head of a chunked response. */
export function chunkedHead(...headers: readonly string[]): string {
  return `${['HTTP/1.1 200 OK', 'transfer-encoding: chunked', ...headers].join('\r\n')}\r\n\r\n`
}

/** Returns one chunk of a chunked body. An empty chunk ends the body. */
export function chunk(data: string | Buffer): Buffer {
  const content = Buffer.from(data)
  return Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')])
}

/** Returns a behaviour that answers every request with the same bytes. */
export function saying(bytes: string | Buffer): Behaviour {
  return (socket) => socket.write(bytes)
}

/**
 * Returns a behaviour that sends the head, and then one piece again and again until the other side closes the
 * connection.
 */
export function flooding(head: string | Buffer, piece: Buffer): Behaviour {
  return (socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(piece)) {}
    }
    socket.write(head)
    socket.on('drain', pour)
    pour()
  }
}
