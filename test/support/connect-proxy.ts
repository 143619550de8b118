import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'

/**
 * A forward proxy that opens tunnels. Every tunnel leads to the loopback address, whatever host was
 * requested.
 */
export class ConnectProxy implements AsyncDisposable {
  readonly asked: { readonly authority: string; readonly authorization: string | undefined }[] = []
  readonly #server: Server
  readonly #scheme: string
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server, scheme: string, answer: (socket: Socket) => boolean) {
    this.#server = server
    this.#scheme = scheme
    server.on('connection', (socket) => this.#keep(socket))
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      const authority = request.url ?? ''
      this.asked.push({ authority, authorization: request.headers['proxy-authorization'] })
      socket.on('error', () => {})
      if (answer(socket)) this.#open(Number(authority.split(':').at(-1)), socket)
    })
  }

  /** If `answer` returns false, the proxy opens no tunnel, and `answer` must have written a response. */
  static async listen(
    tls?: { cert: string; key: string },
    answer: (socket: Socket) => boolean = () => true,
  ): Promise<ConnectProxy> {
    const server = tls === undefined ? createHttpServer() : createHttpsServer(tls)
    const proxy = new ConnectProxy(server, tls === undefined ? 'http' : 'https', answer)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return proxy
  }

  /** `credentials` are percent-encoded and end with an at sign: `user:password@`. */
  url(credentials = ''): string {
    return `${this.#scheme}://${credentials}127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #open(port: number, socket: Socket): void {
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\nvia: 1.1 a-proxy\r\n\r\n')
      upstream.pipe(socket)
      socket.pipe(upstream)
    })
    this.#keep(upstream)
    upstream.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    upstream.on('close', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }
}
