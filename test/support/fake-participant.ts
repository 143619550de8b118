import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type Account, accountOf, type Rights } from './fake-participant/accounts.ts'
import { Answers } from './fake-participant/answers.ts'
import type { Version } from './fake-participant/errors.ts'
import { answer, type HttpFault, HttpFaults } from './fake-participant/faults.ts'
import { type Json, tryParse } from './fake-participant/json.ts'
import { FakeLedger } from './fake-participant/ledger.ts'
import { type Stream, Streams } from './fake-participant/streams.ts'

// A fake of a participant's JSON Ledger API, as strict as Canton's, on real sockets. It shares no code with `src/`, so
// that clients are tested against an independent reading of Canton's rules.

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
  readonly #streams = new Streams(this, this.#accounts, () => this.#look())
  readonly #sockets = new Set<Socket>()
  readonly #watchers = new Set<() => void>()
  #port = 0

  private constructor(options: FakeOptions) {
    const { version = '3.6', mostListed = 200, prefix = '', tls } = options
    super(version)
    this.#answers = new Answers(this, mostListed)
    this.#prefix = prefix
    this.#isSecure = tls !== undefined
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response)
    this.#server = tls === undefined ? createServer(serve) : createSecureServer(tls, serve)
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        this.#look()
      })
    })
    this.#server.on('upgrade', (request, socket, head) => {
      const path = (request.url ?? '').slice(this.#prefix.length)
      this.#streams.accept(path, request, socket as Socket, head)
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
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
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

  /**
   * Adds a user with a token and a party. Without `rights`, the user may act as `primaryParty`. Returns `primaryParty`.
   */
  user(
    token: string,
    id: string,
    primaryParty = `${id}::1220${'c'.repeat(64)}`,
    rights?: Partial<Rights>,
  ): string {
    this.#accounts.set(token, accountOf(id, primaryParty, rights))
    return primaryParty
  }

  fail(path: string, fault: HttpFault, times = 1): void {
    this.#faults.plan(path, fault, times)
  }

  heal(): void {
    this.#faults.clear()
  }

  get streams(): readonly Stream[] {
    return this.#streams.open
  }

  /**
   * Resolves when `holds` returns true. Calls `holds` whenever a request arrives, a stream begins or a connection
   * closes.
   */
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

  protected override committed(): void {
    this.#streams.flow()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method = '', url = '' } = request
    const path = url.slice(this.#prefix.length)
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    this.requests.push({ method, path, token, body: tryParse(text) })
    this.#look()
    const account = token === undefined ? undefined : this.#accounts.get(token)
    const fault = this.#faults.take(path.split('?')[0] ?? '')
    answer(response, fault, () => this.#answers.judge(method, path, account, text))
  }

  #look(): void {
    for (const look of this.#watchers) look()
  }
}
