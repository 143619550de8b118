import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ServerWebSocket } from '../websocket-server.ts'
import { rangeProblem, redacted } from './errors.ts'
import type { SocketFault } from './faults.ts'
import type { Account, Json } from './json.ts'
import { type FakeLedger, synchronizer } from './ledger.ts'

export interface Stream {
  readonly path: string
  readonly socket: ServerWebSocket
  readonly request: Json
  sent: number
  next: number
  fault: SocketFault | undefined
}

/** What is sent on websockets. */
export class Streams {
  readonly open: Stream[] = []
  readonly #ledger: FakeLedger
  readonly #accounts: ReadonlyMap<string, Account>
  readonly #look: () => void
  readonly #faults: { readonly path: string; readonly fault: SocketFault | number }[] = []

  constructor(ledger: FakeLedger, accounts: ReadonlyMap<string, Account>, look: () => void) {
    this.#ledger = ledger
    this.#accounts = accounts
    this.#look = look
  }

  /** The next websocket at this path has this fault, or its handshake is refused with this status. */
  plan(path: string, fault: SocketFault | number): void {
    this.#faults.push({ path, fault })
  }

  accept(path: string, request: IncomingMessage, socket: Socket, head: Buffer): void {
    const index = this.#faults.findIndex((each) => each.path === path)
    const [found] = index === -1 ? [] : this.#faults.splice(index, 1)
    if (typeof found?.fault === 'number') {
      socket.end(`HTTP/1.1 ${found.fault} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
      return
    }
    const fault = found?.fault
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const ws = ServerWebSocket.accept(request, socket, head, 'daml.ws.auth', (text) => {
      const asked = JSON.parse(text)
      const next = path === '/v2/updates' ? asked.beginExclusive : 0
      const stream: Stream = { path, socket: ws, request: asked, sent: 0, next, fault }
      this.open.push(stream)
      socket.on('close', () => this.#look())
      this.#begin(stream, token)
      this.#look()
    })
  }

  /** Tells every open stream how far the ledger is. */
  checkpoint(): void {
    for (const stream of this.open) {
      if (stream.path !== '/v2/updates' || stream.request.endInclusive) continue
      const value = { offset: this.#ledger.end, synchronizerTimes: [] }
      this.#send(stream, JSON.stringify({ update: { OffsetCheckpoint: { value } } }))
    }
  }

  /** Sends what was committed to whom it concerns. */
  flow(): void {
    for (const stream of this.open) this.#flow(stream)
  }

  #begin(stream: Stream, token: string): void {
    const { request, path } = stream
    const refuse = (error: Json) => {
      stream.socket.text(JSON.stringify(error))
      stream.socket.close()
    }
    if (!this.#accounts.has(token)) return refuse(redacted(16))
    const problem = path === '/v2/updates' ? rangeProblem(this.#ledger, request) : undefined
    if (problem !== undefined) return refuse(problem[1])
    if (path === '/v2/updates') return this.#flow(stream)
    for (const [index, contract] of this.#ledger.activeAt(request).entries()) {
      const streamContinuationToken = this.#ledger.version === '3.4' ? undefined : btoa(String(index + 1))
      if (index < Number(atob(request.streamContinuationToken ?? btoa('0')))) continue
      const contractEntry = {
        JsActiveContract: {
          createdEvent: contract.created,
          synchronizerId: synchronizer,
          reassignmentCounter: 0,
        },
      }
      this.#send(stream, JSON.stringify({ workflowId: '', contractEntry, streamContinuationToken }))
    }
    if (!stream.socket.socket.writableEnded && !stream.socket.socket.destroyed) stream.socket.close()
  }

  #flow(stream: Stream): void {
    if (stream.path !== '/v2/updates') return
    for (const entry of this.#ledger.visible(stream.request.updateFormat)) {
      if (entry.offset <= stream.next) continue
      stream.next = entry.offset
      this.#send(stream, JSON.stringify(this.#ledger.update(entry, stream.request.updateFormat)))
    }
  }

  #send(stream: Stream, text: string): void {
    const { socket, fault } = stream
    if (socket.socket.writableEnded || socket.socket.destroyed) return
    if (fault !== undefined && stream.sent >= fault.after) {
      stream.fault = undefined
      fault.act(socket)
      if (socket.socket.writableEnded || socket.socket.destroyed) return
    }
    stream.sent++
    socket.text(text)
  }
}
