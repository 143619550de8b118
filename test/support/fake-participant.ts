import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { type Account, Answers, completionsFor, type Version } from './fake-participant/answers.ts'
import type { Json } from './fake-participant/errors.ts'
import { answer, type HttpFault, HttpFaults } from './fake-participant/faults.ts'
import { FakeLedger } from './fake-participant/ledger.ts'
import { freePort } from './free-port.ts'

// A fake of those parts of a participant's JSON Ledger API that the daemon asks for, on real sockets. It shares no code
// with `src/`, so that the daemon is tested against an independent reading of Canton's rules.

export interface FakeOptions {
  readonly version?: Version
  /** Canton's option `http-list-max-elements-limit`. A longer list is answered with an error. */
  readonly mostListed?: number
  readonly prefix?: string
  readonly tls?: { readonly cert: string; readonly key: string }
}

export class FakeParticipant extends FakeLedger implements AsyncDisposable {
  readonly requests: {
    readonly method: string
    readonly path: string
    readonly token: string | undefined
    readonly body: Json
  }[] = []
  readonly #server: Server
  readonly #prefix: string
  readonly #isSecure: boolean
  readonly #accounts = new Map<string, Account>()
  readonly #answers: Answers
  readonly #faults = new HttpFaults()
  readonly #streams = new WebSocketServer({ noServer: true, handleProtocols: () => 'daml.ws.auth' })
  readonly #sockets = new Set<Socket>()
  readonly #watchers = new Set<() => void>()
  #port = 0

  private constructor(options: FakeOptions) {
    const { version = '3.6', mostListed = 200, prefix = '', tls } = options
    super()
    this.#answers = new Answers(this, version, mostListed)
    this.#prefix = prefix
    this.#isSecure = tls !== undefined
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response)
    this.#server = tls === undefined ? createServer(serve) : createSecureServer(tls, serve)
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    this.#server.on('upgrade', (request, socket, head) => {
      const account = this.#accountOf(request)
      this.#streams.handleUpgrade(request, socket, head, (stream) =>
        stream.once('message', (body) => {
          for (const each of completionsFor(this, account, String(body))) stream.send(JSON.stringify(each))
        }),
      )
    })
  }

  static async listen(options: FakeOptions = {}): Promise<FakeParticipant> {
    const fake = new FakeParticipant(options)
    await fake.start()
    return fake
  }

  get url(): string {
    return `${this.#isSecure ? 'https' : 'http'}://127.0.0.1:${this.#port}${this.#prefix}`
  }

  async start(): Promise<void> {
    this.#port ||= await freePort()
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Stops as in a crash: cuts all connections, but keeps the ledger's data and the port. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.stop()
  }

  /** Adds a user with a token and a party, as which the user may act. Returns the party. */
  user(token: string, id: string, primaryParty = `${id}::1220${'c'.repeat(64)}`, isAdmin = false): string {
    const actAs = primaryParty === '' ? [] : [primaryParty]
    this.#accounts.set(token, { id, primaryParty, actAs, isAdmin })
    return primaryParty
  }

  fail(path: string, fault: HttpFault, times = 1): void {
    this.#faults.plan(path, fault, times)
  }

  heal(): void {
    this.#faults.clear()
  }

  /** Resolves when `holds` returns true. Calls `holds` whenever a request arrives. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
      look()
    })
  }

  asked(path: string): number {
    return this.requests.filter((request) => request.path.split('?')[0] === path).length
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', url = '' } = request
    const path = url.slice(this.#prefix.length)
    const token = tokenOf(request)
    this.requests.push({ method, path, token, body: text === '' ? undefined : JSON.parse(text) })
    for (const look of this.#watchers) look()
    const fault = this.#faults.take(path.split('?')[0] ?? '')
    answer(response, fault, () => this.#answers.judge(method, path, this.#accountOf(request), text))
  }

  #accountOf(request: IncomingMessage): Account | undefined {
    return this.#accounts.get(tokenOf(request) ?? '')
  }
}

/** A WebSocket may have its token among the subprotocols. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const { authorization = '', 'sec-websocket-protocol': offered = '' } = headers
  return (/^Bearer (.+)$/.exec(authorization) ?? /^jwt\.token\.([^,]+)/.exec(offered))?.[1]
}
