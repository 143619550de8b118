import type { Touched, Update } from '../update.ts'
import { decodeLazily, decodeUpdate, type StoredUpdate } from './encoding.ts'
import type { Identity } from './identity.ts'
import type { Committed, FromThread, WriteReply } from './protocol.ts'

export type Subscriber = (update: Update) => void
export type Watcher = (touched: Touched, offset: number) => void

type GroupWritten = Pick<Extract<FromThread, { kind: 'written' }>, 'updates' | 'results'>
type Settle = (id: number, written: WriteReply, update: Update | undefined) => void

export interface SubscriberFailed {
  readonly kind: 'subscriber-failed'
  readonly error: unknown
}

export interface CommitListenersDeps {
  /**
   * Tells the ledger's thread whether to send whole updates: true before the first subscriber is
   * added, false after the last one has unsubscribed.
   */
  follow(whole: boolean): void
  failed(error: unknown): void
}

export class CommitListeners {
  readonly #deps: CommitListenersDeps
  readonly #subscribers = new Set<Subscriber>()
  readonly #watchers = new Set<Watcher>()

  constructor(deps: CommitListenersDeps) {
    this.#deps = deps
  }

  get #hasSubscribers(): boolean {
    return this.#subscribers.size > 0
  }

  watch(watch: Watcher): () => void {
    const watcher: Watcher = (touched, offset) => watch(touched, offset)
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  subscribe(receive: Subscriber): () => void {
    const subscriber: Subscriber = (update) => receive(update)
    if (!this.#hasSubscribers) this.#deps.follow(true)
    this.#subscribers.add(subscriber)
    return () => {
      if (this.#subscribers.delete(subscriber) && !this.#hasSubscribers) this.#deps.follow(false)
    }
  }

  /**
   * Returns functions to call in order: the first ones notify the listeners, the last ones pass
   * each result to its submitter.
   */
  writtenSteps(
    { updates, results }: GroupWritten,
    identity: Identity,
    settle: Settle,
  ): readonly (() => void)[] {
    const decoded = new Map<StoredUpdate, Update>()
    return [
      ...updates.map((committed) => () => this.#publish(committed, identity, decoded)),
      ...results.map(([id, written]) => () => {
        const update =
          written.kind === 'committed'
            ? (decoded.get(written.update) ?? decodeLazily(written.update, identity))
            : undefined
        settle(id, written, update)
      }),
    ]
  }

  #publish(
    { update: stored, touched, offset }: Committed,
    identity: Identity,
    decoded: Map<StoredUpdate, Update>,
  ) {
    if (stored !== undefined && this.#hasSubscribers) {
      const update = decodeUpdate(stored, identity)
      decoded.set(stored, update)
      for (const subscriber of this.#subscribers) this.#call(() => subscriber(update))
    }
    for (const watcher of this.#watchers) this.#call(() => watcher(touched, offset))
  }

  #call(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.#deps.failed(error)
    }
  }
}
