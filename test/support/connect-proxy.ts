import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A forward proxy that opens tunnels. Whatever the host is called, it connects to the loopback address. */
export class ConnectProxy implements AsyncDisposable {
  /** The requests for tunnels: where each should lead, and its credentials. */
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

  /**
   * Starts a proxy.
   * @param answer returns whether the proxy opens the tunnel. If it returns false, it has sent an answer
   * itself.
   */
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

  /**
   * Returns the URL of the proxy.
   * @param credentials `user:password@`, percent-encoded.
   */
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
