import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Account, ensureActive } from './accounts.ts'
import { checkContracts, checkUpdates } from './checks.ts'
import { ledgerError, refused } from './errors.ts'
import { contractsRequest, type UpdateFormat, updatesRequest } from './formats.ts'
import { type Json, Refused, tryParse } from './json.ts'
import type { FakeLedger } from './ledger.ts'
import { completionsFor, continuationOf, contractElements, placeIn } from './pages.ts'

export interface Stream {
  readonly path: string
  readonly socket: WebSocket
  readonly request: Json
  next: number
  format: UpdateFormat | undefined
  end: number | undefined
}

export class Streams {
  readonly open: Stream[] = []
  readonly #ledger: FakeLedger
  readonly #accounts: ReadonlyMap<string, Account>
  readonly #look: () => void
  readonly #server = new WebSocketServer({ noServer: true, handleProtocols: () => 'daml.ws.auth' })

  constructor(ledger: FakeLedger, accounts: ReadonlyMap<string, Account>, look: () => void) {
    this.#ledger = ledger
    this.#accounts = accounts
    this.#look = look
  }

  accept(path: string, request: IncomingMessage, socket: Socket, head: Buffer): void {
    const account = this.#accounts.get(tokenOf(request.headers) ?? '')
    const status = statusOfRefusedHandshake(path, account)
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
      return
    }
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      // Only the first frame is a request. Later frames are ignored.
      ws.once('message', (text) => {
        const begun = { path, socket: ws, request: undefined, next: 0, format: undefined, end: undefined }
        this.#begin(begun, account, String(text))
        this.#look()
      })
      ws.on('close', () => this.#look())
    })
  }

  flow(): void {
    for (const stream of this.open) this.#flow(stream)
  }

  #begin(stream: Stream, account: Account | undefined, text: string): void {
    try {
      const body = tryParse(text)
      this.open.push(Object.assign(stream, { request: body }))
      if (body === undefined) throw refused(this.#ledger.version, 'LEDGER_API_INTERNAL_ERROR')
      if (stream.path === '/v2/updates') this.#beginUpdates(stream, account, body)
      else if (stream.path.startsWith(completions)) this.#sendCompletions(stream, account, body)
      else this.#sendContracts(stream, account, body)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const [, said] = error.reply
      const { version } = this.#ledger
      const told = typeof said === 'string' ? ledgerError(version, 'LEDGER_API_INTERNAL_ERROR')[1] : said
      this.#send(stream, JSON.stringify(told))
      this.#close(stream)
    }
  }

  #beginUpdates(stream: Stream, account: Account | undefined, body: Json): void {
    const request = updatesRequest(body)
    const format = checkUpdates(this.#ledger.checked, request, account)
    Object.assign(stream, { format, next: request.begin, end: request.end })
    this.#flow(stream)
    if (request.end !== undefined) this.#close(stream)
  }

  #sendContracts(stream: Stream, account: Account | undefined, body: Json): void {
    const request = contractsRequest(body)
    const { version, checked } = this.#ledger
    const format = checkContracts(checked, request, account)
    const at = request.at ?? 0
    const begin = request.token === '' ? 0 : placeIn(request.token, continuationOf(at, format))
    if (typeof begin !== 'number') throw refused(version, 'INVALID_CONTINUATION_TOKEN')
    for (const element of contractElements(this.#ledger, at, format).slice(begin))
      this.#send(stream, JSON.stringify(element))
    this.#close(stream)
  }

  #sendCompletions(stream: Stream, account: Account | undefined, body: Json): void {
    for (const completion of completionsFor(this.#ledger, account, body))
      this.#send(stream, JSON.stringify(completion))
  }

  #flow(stream: Stream): void {
    if (stream.format === undefined) return
    const upTo = stream.end ?? this.#ledger.end
    for (const { offset, json } of this.#ledger.delivered(stream.format, stream.next, upTo)) {
      stream.next = offset
      this.#send(stream, JSON.stringify(json))
    }
  }

  #close({ socket }: Stream): void {
    socket.close(1000)
  }

  #send({ socket }: Stream, text: string): void {
    if (socket.readyState === socket.OPEN) socket.send(text)
  }
}

const completions = '/v2/commands/com'

function statusOfRefusedHandshake(path: string, account: Account | undefined): number | undefined {
  if (path !== '/v2/updates' && path !== '/v2/state/active-contracts' && !path.startsWith(completions))
    return 404
  try {
    ensureActive(account)
    return undefined
  } catch {
    return 403
  }
}

/** The header takes precedence over a token among the subprotocols, which must be the first one. */
function tokenOf({ authorization, 'sec-websocket-protocol': offered = '' }: IncomingMessage['headers']) {
  return /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? /^jwt\.token\.([^,]+)/.exec(offered)?.[1]
}
