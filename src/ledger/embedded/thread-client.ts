import type { Worker } from 'node:worker_threads'
import { type Clock, milliseconds } from '../../lib/clock.ts'
import { InPortions } from '../../lib/in-portions.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { type FromThread, Outbox, type ToThread, unpackThrown } from './protocol.ts'

type Opened = Extract<FromThread, { kind: 'opened' }>
/**
 * The messages that the thread of an open ledger sends, except for the results of single requests. A
 * `written` message has the results of several writes.
 */
export type Unanswered = Extract<FromThread, { kind: 'written' | 'event' | 'service-event' }>
type Settle = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void }

export interface ThreadClientDeps {
  readonly clock: Clock
  /** Called when the thread has opened the ledger, before the steps of any other message run. */
  opened(message: Opened): void
  /**
   * Returns the functions to call for a message. If there are many, `ThreadClient` spreads the calls over
   * several turns of the event loop, so that other work does not wait long.
   */
  stepsOf(message: Unanswered): readonly (() => void)[]
  /** Called once if the thread has opened the ledger and then ends without a request to close. */
  failed(reason: string): void
}

const mostWaiting = 10_000
/**
 * The time that the thread has to close the ledger, in milliseconds. After that time, the client terminates
 * the thread. No committed write is lost by that.
 */
const longestCloseMs = milliseconds('15s')

/** The main thread's end of the connection to the ledger's thread. It matches each result to its request. */
export class ThreadClient implements AsyncDisposable {
  /**
   * Resolves once the ledger is open. If the ledger cannot be opened, rejects with a `LedgerUnavailable`
   * whose message tells why.
   */
  readonly opened: Promise<Opened>
  readonly #worker: Worker
  readonly #deps: ThreadClientDeps
  readonly #requests = new Map<number, Settle>()
  readonly #steps = new InPortions()
  readonly #outbox: Outbox<ToThread>
  readonly #exited = Promise.withResolvers<void>()
  readonly #opening = Promise.withResolvers<Opened>()
  #lastId = 0
  #isOpen = false
  #isClosing = false
  #ended: string | undefined

  constructor(worker: Worker, deps: ThreadClientDeps) {
    this.#worker = worker
    this.#deps = deps
    this.opened = this.#opening.promise
    this.#outbox = new Outbox((messages) => worker.postMessage(messages))
    worker.on('message', (messages: readonly FromThread[]) => this.#receive(messages))
    worker.on('error', (error: Error) => this.#end(`The ledger's thread failed: ${error.message}`))
    worker.on('exit', () => {
      this.#steps.finish()
      this.#end(this.#isClosing ? 'The ledger is closed.' : 'The ledger has ended.')
      this.#opening.reject(new LedgerUnavailable(this.#ended))
      this.#exited.resolve()
    })
  }

  /** The reason why the ledger's thread has ended; undefined while the thread runs. */
  get ended(): string | undefined {
    return this.#ended
  }

  request<T>(message: (id: number) => ToThread): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#ended !== undefined || this.#isClosing)
        throw new LedgerUnavailable(this.#ended ?? 'The ledger is closed.')
      if (this.#requests.size >= mostWaiting) throw new LedgerUnavailable('Too much waits for the ledger.')
      const id = ++this.#lastId
      this.#outbox.add(message(id))
      this.#requests.set(id, { resolve, reject })
    })
  }

  /** Sends a message that has no result. Does nothing once the ledger is closing or its thread has ended. */
  send(message: ToThread): void {
    if (!this.#isClosing && this.#ended === undefined) this.#outbox.add(message)
  }

  /**
   * Removes a pending request, and returns its callbacks. Undefined if no request with this id is pending.
   */
  take(id: number): Settle | undefined {
    const settle = this.#requests.get(id)
    this.#requests.delete(id)
    return settle
  }

  /**
   * Closes the ledger. Earlier reads, writes and service requests still finish. The exception is a service
   * request that waits for something outside of the ledger: it rejects with `LedgerUnavailable`. If closing
   * takes longer than `longestCloseMs`, the thread is terminated.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.send({ kind: 'close' })
    this.#isClosing = true
    const cancel = this.#deps.clock.after(longestCloseMs, () => void this.#worker.terminate())
    await this.#exited.promise
    cancel()
  }

  #receive(messages: readonly FromThread[]): void {
    const steps = messages.flatMap((message) => this.#stepsOf(message))
    if (steps.length > 0) this.#steps.add(steps)
  }

  #stepsOf(message: FromThread): readonly (() => void)[] {
    switch (message.kind) {
      case 'opened':
        this.#isOpen = true
        this.#deps.opened(message)
        this.#opening.resolve(message)
        return []
      case 'not-opened':
        this.#opening.reject(new LedgerUnavailable(message.message))
        return []
      case 'answer':
        return [() => this.take(message.id)?.resolve(message.answer as never)]
      case 'no-answer':
        return [() => this.take(message.id)?.reject(unpackThrown(message.thrown))]
      default:
        return this.#deps.stepsOf(message)
    }
  }

  #end(reason: string): void {
    const isFailure = this.#ended === undefined && this.#isOpen && !this.#isClosing
    this.#ended ??= reason
    if (isFailure) this.#deps.failed(reason)
    for (const { reject } of this.#requests.values()) reject(new LedgerUnavailable(this.#ended))
    this.#requests.clear()
  }
}
