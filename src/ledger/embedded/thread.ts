import type { MessagePort } from 'node:worker_threads'
import type { Catalog } from '../visibility/catalog.ts'
import { cannotOpen } from './database.ts'
import { faultText, fileFault } from './faults.ts'
import type { Interpreter } from './interpreter.ts'
import { type OpenState, openState } from './open-state.ts'
import type { FromThread, Read, Start, ToThread, Write } from './protocol.ts'
import { Reader } from './reader.ts'
import { Writer } from './writer.ts'

/** So many writes share one commit at most: reads wait for a commit under way. */
const largestGroup = 64

/**
 * Serves one ledger's file to the other end of a port, until that says close. Writes that arrive while a commit runs
 * make the next group; reads are answered between commits, and see what is durable only.
 */
export function serveLedger(
  port: MessagePort,
  start: Start,
  interpreter: Interpreter,
  catalog: Catalog,
): void {
  const send: Send = (message) => port.postMessage(message)
  try {
    const open = openState(start, interpreter.indexing, (event) => send({ kind: 'event', event }))
    const thread = new LedgerThread(open, { interpreter, catalog, send })
    port.on('message', (messages: readonly ToThread[]) => {
      for (const message of messages)
        if (message.kind === 'close') {
          thread.close()
          port.close()
        } else thread.take(message)
    })
    const { synchronizerId, namespace } = open.identity
    const prunedUpTo = open.state.pruning.base.offset
    send({ kind: 'opened', identity: { synchronizerId, namespace }, prunedUpTo })
  } catch (error) {
    send({ kind: 'not-opened', message: cannotOpen(error, start.file).message })
    port.close()
  }
}

type Send = (message: FromThread) => void

interface ThreadDeps {
  readonly interpreter: Interpreter
  /** What readers can name. */
  readonly catalog: Catalog
  readonly send: Send
}

class LedgerThread {
  readonly #open: OpenState
  readonly #reader: Reader
  readonly #writer: Writer
  readonly #send: Send
  readonly #waiting: { readonly id: number; readonly write: Write }[] = []
  #isDue = false

  constructor(open: OpenState, { interpreter, catalog, send }: ThreadDeps) {
    this.#open = open
    this.#send = send
    this.#reader = new Reader(open.state, open.identity, catalog)
    const tell = (event: Extract<FromThread, { kind: 'event' }>['event']) => send({ kind: 'event', event })
    this.#writer = new Writer(open.tail, { ...open, interpreter, tell })
    if (open.damage !== undefined) this.#writer.stop(open.damage)
  }

  take(message: Exclude<ToThread, { kind: 'close' }>): void {
    if (message.kind === 'read') this.#answer(message.id, message.read)
    else {
      this.#waiting.push(message)
      this.#schedule()
    }
  }

  close(): void {
    while (this.#waiting.length > 0) this.#write()
    this.#open[Symbol.dispose]()
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
    const { updates, results } = this.#writer.write(group.map(({ write }) => write))
    this.#send({
      kind: 'written',
      updates,
      results: results.map((written, index) => [(group[index] as { id: number }).id, written]),
    })
  }

  #answer(id: number, read: Read): void {
    try {
      this.#send({ kind: 'answer', id, answer: this.#reader.answer(read) })
    } catch (error) {
      const fault = fileFault(error)
      if (fault === 'damaged')
        this.#writer.stop(`The ledger takes no writes, its file is damaged: ${faultText(error)}.`)
      const message =
        fault === undefined ? faultText(error) : `The ledger cannot read its file: ${faultText(error)}.`
      this.#send({ kind: 'no-answer', id, unavailable: fault !== undefined, message })
    }
  }
}
