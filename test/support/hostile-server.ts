import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'

/** A request as it arrived. `nth` is the number of earlier requests on the same socket. */
export interface HeardRequest {
  readonly head: string
  readonly body: string
  readonly nth: number
}

export type Behaviour = (socket: Socket, request: HeardRequest) => void

export class HostileServer implements AsyncDisposable {
  readonly requests: HeardRequest[] = []
  accepted = 0
  /** The server name (SNI) in each TLS handshake; false if the handshake had none. */
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

  get open(): number {
    return this.#sockets.size
  }

  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.end()
  }

  /**
   * Resolves when `predicate` returns true. Calls `predicate` whenever a connection begins or ends, and whenever data
   * arrives.
   */
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

export function chunkedHead(...headers: readonly string[]): string {
  return `${['HTTP/1.1 200 OK', 'transfer-encoding: chunked', ...headers].join('\r\n')}\r\n\r\n`
}

export function chunk(data: string | Buffer): Buffer {
  const content = Buffer.from(data)
  return Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')])
}

export function saying(bytes: string | Buffer): Behaviour {
  return (socket) => socket.write(bytes)
}

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
