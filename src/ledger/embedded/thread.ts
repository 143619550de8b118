import type { MessagePort } from 'node:worker_threads'
import { faultText, fileFault } from '../../lib/sqlite-faults.ts'
import { LedgerDamaged, LedgerUnavailable, type WriteOutcome } from '../ledger.ts'
import type { Micros } from '../value.ts'
import type { Catalog } from '../visibility/catalog.ts'
import type { AskTables } from './contract-reads.ts'
import { cannotOpen } from './database.ts'
import type { Interpreter } from './interpreter.ts'
import { type OpenState, openState } from './open-state.ts'
import {
  type FromThread,
  type LedgerRead,
  Outbox,
  packThrown,
  type ServiceProtocol,
  type Start,
  type ToThread,
  type Write,
  type WriteReply,
} from './protocol.ts'
import { TableReader } from './reader.ts'
import { checkPages } from './table-check.ts'
import { InThreadLedger, outcomeOf, type StartService, type ThreadService } from './thread-service.ts'
import { Writer } from './writer.ts'

/**
 * The maximum number of writes that share one commit. Reads wait for the commit, so it must stay
 * short.
 */
const largestGroup = 64

export interface ThreadRoles<P extends ServiceProtocol> {
  readonly interpreter: Interpreter
  readonly catalog: Catalog
  readonly start?: StartService<P> | undefined
}

/**
 * Serves a ledger over a port until the message `close` arrives. Writes that arrive during a commit
 * share the next one. Reads never run during a commit, so they return only updates that are on the
 * disk.
 */
export function serveLedger<P extends ServiceProtocol>(
  port: MessagePort,
  start: Start,
  served: ThreadRoles<P>,
): void {
  const outbox = new Outbox<FromThread>((messages) => port.postMessage(messages))
  const send: Send = (message) => outbox.add(message)
  let open: OpenState | undefined
  try {
    open = openState(start, served.interpreter.indexing, (event) => send({ kind: 'event', event }))
    const thread = new LedgerThread(open, { ...served, send })
    port.on('message', (messages: readonly ToThread[]) => {
      for (const message of messages)
        if (message.kind === 'close') {
          thread.close(() => {
            outbox.flush()
            port.close()
          })
        } else thread.take(message)
    })
    const { synchronizerId, namespace } = open.identity
    const prunedUpTo = open.state.pruning.upTo.offset
    send({ kind: 'opened', identity: { synchronizerId, namespace }, prunedUpTo })
  } catch (error) {
    open?.[Symbol.dispose]()
    send({ kind: 'not-opened', message: cannotOpen(error, start.file).message })
    outbox.flush()
    port.close()
  }
}

type Send = (message: FromThread) => void

type Waiting =
  | { readonly write: Write; readonly id: number }
  | { readonly write: Write; readonly settle: (written: WriteReply) => void }

interface ThreadDeps<P extends ServiceProtocol> extends ThreadRoles<P> {
  readonly send: Send
}

class LedgerThread<P extends ServiceProtocol> {
  readonly #open: OpenState
  readonly #reader: TableReader
  readonly #writer: Writer
  readonly #send: Send
  readonly #ledger: InThreadLedger
  readonly #service: ThreadService<P> | undefined
  readonly #waiting: Waiting[] = []
  #now: Micros = 0
  #unfinishedRequests = 0
  #isFollowed = false
  #isDue = false
  #isClosed = false
  #pages: { readonly problem: string | undefined } | undefined

  constructor(open: OpenState, { interpreter, catalog, start, send }: ThreadDeps<P>) {
    this.#open = open
    this.#send = send
    this.#reader = new TableReader(open.state, open.identity, catalog)
    const tell = (event: Extract<FromThread, { kind: 'event' }>['event']) => send({ kind: 'event', event })
    this.#writer = new Writer(open.tail, { ...open, interpreter, tell })
    const now = () => this.#now
    const ask: AskTables = async (kind, takes) => this.#read({ kind, ...takes } as never) as never
    const write = (write: Write) => this.#writeInside(write)
    const ledger = new InThreadLedger({ ask, write, now, identity: open.identity })
    this.#ledger = ledger
    this.#service = start?.({ ledger, now, send: (event) => send({ kind: 'service-event', event }) })
  }

  take(message: Exclude<ToThread, { kind: 'close' }>): void {
    switch (message.kind) {
      case 'read':
        return this.#answer(message.id, message.read)
      case 'write':
        if ('now' in message.write) this.#now = message.write.now
        return this.#add(message)
      case 'ask':
        this.#now = message.now
        return void this.#ask(message.id, message.request)
      case 'follow':
        this.#isFollowed = message.whole
    }
  }

  /**
   * Commits all waiting writes, then waits for one turn of the event loop: a commit can cause
   * unfinished service requests to add more writes. If they add some, these steps are repeated.
   */
  close(closed: () => void): void {
    while (this.#waiting.length > 0) this.#write()
    setImmediate(() => {
      if (this.#waiting.length > 0 && this.#unfinishedRequests > 0) return this.close(closed)
      while (this.#waiting.length > 0) this.#write()
      this.#isClosed = true
      this.#open[Symbol.dispose]()
      closed()
    })
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      if (this.#waiting.length > 0) this.#write()
      if (this.#waiting.length > 0) this.#schedule()
    })
  }

  #write(): void {
    const group = this.#waiting.splice(0, largestGroup)
    const { updates, results: written } = this.#writer.write(group.map(({ write }) => write))
    const results: (readonly [number, WriteReply])[] = []
    const own: WriteOutcome[] = []
    group.forEach((waiting, index) => {
      const result = written[index] as WriteReply
      if ('id' in waiting) results.push([waiting.id, result])
      else own.push(outcomeOf(result))
    })
    const told = this.#isFollowed ? updates : updates.map((update) => ({ ...update, update: undefined }))
    this.#send({ kind: 'written', updates: told, results, own })
    this.#ledger.committed(updates)
    group.forEach((waiting, index) => {
      if ('settle' in waiting) waiting.settle(written[index] as WriteReply)
    })
  }

  #writeInside(write: Write): Promise<WriteReply> {
    if (this.#isClosed) return Promise.reject(new LedgerUnavailable('The ledger is closed.'))
    return new Promise((settle) => this.#add({ write, settle }))
  }

  #answer(id: number, read: LedgerRead): void {
    try {
      this.#send({ kind: 'answer', id, answer: this.#read(read) })
    } catch (error) {
      this.#sendFailure(id, error)
    }
  }

  async #ask(id: number, request: P['request']): Promise<void> {
    this.#unfinishedRequests++
    try {
      if (this.#service === undefined) throw new Error('the thread of this ledger runs no service')
      this.#send({ kind: 'answer', id, answer: await this.#service.answer(request) })
    } catch (error) {
      this.#sendFailure(id, error)
    } finally {
      this.#unfinishedRequests--
    }
  }

  #sendFailure(id: number, error: unknown): void {
    this.#send({ kind: 'no-answer', id, thrown: packThrown(error) })
  }

  #read(read: LedgerRead): ReturnType<TableReader['answer']> {
    if (this.#isClosed) throw new LedgerUnavailable('The ledger is closed.')
    try {
      return this.#reader.answer(read)
    } catch (error) {
      const fault = fileFault(error)
      const problem = fault === undefined ? this.#pageProblem() : faultText(error)
      if (problem === undefined) throw error
      const message = `The ledger cannot read its file: ${problem}.`
      if (fault !== undefined && fault !== 'damaged') throw new LedgerUnavailable(message)
      this.#writer.stop({
        kind: 'damaged',
        message: `The ledger takes no writes, its file is damaged: ${problem}.`,
      })
      throw new LedgerDamaged(message)
    }
  }

  /**
   * Wrong values on a damaged page can cause an error that `fileFault` does not know, so the pages
   * are checked.
   */
  #pageProblem(): string | undefined {
    this.#pages ??= { problem: checkPages(this.#open.db) }
    return this.#pages.problem
  }
}
