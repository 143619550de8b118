import type { Worker } from 'node:worker_threads'
import { type Clock, milliseconds } from '../../lib/clock.ts'
import { InPortions } from '../../lib/in-portions.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { type FromThread, Outbox, type ToThread, unpackThrown } from './protocol.ts'

type Opened = Extract<FromThread, { kind: 'opened' }>
export type Unanswered = Extract<FromThread, { kind: 'written' | 'event' | 'service-event' }>
type Settle = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void }

export interface ThreadClientDeps {
  readonly clock: Clock
  opened(message: Opened): void
  /**
   * Returns the functions to call for a message. `ThreadClient` spreads many calls over several
   * turns of the event loop, so that other work does not wait long.
   */
  stepsOf(message: Unanswered): readonly (() => void)[]
  failed(reason: string): void
}

const mostWaiting = 10_000
/**
 * After this time, the client terminates a thread that does not close. No committed write is lost
 * by that.
 */
const longestCloseMs = milliseconds('15s')

export class ThreadClient implements AsyncDisposable {
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

  send(message: ToThread): void {
    if (!this.#isClosing && this.#ended === undefined) this.#outbox.add(message)
  }

  take(id: number): Settle | undefined {
    const settle = this.#requests.get(id)
    this.#requests.delete(id)
    return settle
  }

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
