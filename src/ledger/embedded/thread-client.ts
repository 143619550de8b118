import type { Worker } from 'node:worker_threads'
import { type Clock, milliseconds } from '../../lib/clock.ts'
import { InPortions } from '../../lib/in-portions.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { type FromThread, Outbox, type ToThread, unpackThrown } from './protocol.ts'

type Opened = Extract<FromThread, { kind: 'opened' }>
/**
 * The messages that an open ledger's thread sends, except answers to a single request. A `written` message answers
 * several writes at once.
 */
export type Unanswered = Extract<FromThread, { kind: 'written' | 'event' | 'service-event' }>
type Settle = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void }

export interface ThreadClientDeps {
  readonly clock: Clock
  /** Called with the message that the ledger is open, before any other message of the thread is handled. */
  opened(message: Opened): void
  /**
   * Returns the calls to make for a message. If there are many calls, they are spread over several turns of the event
   * loop, so that other work need not wait for all of them.
   */
  stepsOf(message: Unanswered): readonly (() => void)[]
  /** Called once if the ledger's thread ends without a request to close, after it has opened the ledger. */
  failed(reason: string): void
}

const mostWaiting = 10_000
/** The time that the thread gets to close the ledger, in milliseconds. Then it is ended, which loses no committed write. */
const longestCloseMs = milliseconds('15s')

/** The main thread's end of the connection to the ledger's thread. It assigns each answer to its request. */
export class ThreadClient implements AsyncDisposable {
  /** Resolves once the ledger is open. If it cannot be opened, rejects with a `LedgerUnavailable` that tells why. */
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

  /** The reason why the ledger's thread has ended; undefined while it runs. */
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

  /** Sends a message that gets no answer. Does nothing once the ledger is closing or its thread has ended. */
  send(message: ToThread): void {
    if (!this.#isClosing && this.#ended === undefined) this.#outbox.add(message)
  }

  /** Removes a request that waits for its answer, and returns its callbacks. Undefined if no such request waits. */
  take(id: number): Settle | undefined {
    const settle = this.#requests.get(id)
    this.#requests.delete(id)
    return settle
  }

  /**
   * Closes the ledger. Earlier reads, writes and service requests still get their answers. There is one exception: if
   * the service waits for something outside of the ledger, its request rejects with `LedgerUnavailable`. A thread that
   * takes longer than `longestCloseMs` is ended.
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
