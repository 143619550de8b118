import type { Refusal, Submission } from '../command.ts'
import {
  type ContractFilter,
  type DueFilter,
  type EntryFilter,
  LedgerDamaged,
  LedgerUnavailable,
  type PrintedUpdates,
  type PrintRequest,
  type WriteOutcome,
} from '../ledger.ts'
import type { EventPosition, Touched } from '../update.ts'
import type { ContractId, Micros, Party } from '../value.ts'
import type { Reached } from './chain.ts'
import type { StoredActive, StoredUpdate } from './encoding.ts'
import type { Identity } from './identity.ts'
import type { TornTail } from './wal-inspection.ts'

/** The parameters with which the ledger's thread opens its file. */
export interface Start {
  /** The SQLite file; undefined for a ledger in memory. */
  readonly file: string | undefined
  /** The maximum size of the file in bytes; undefined for no limit. */
  readonly maxBytes: number | undefined
  /** The identity that a new ledger gets; undefined for a random one. */
  readonly identity: Identity | undefined
}

/**
 * A request to change the ledger. It comes from the main thread, or from the service in the ledger's thread
 * (`ThreadService`). `now` is the time of the main thread's clock.
 */
export type Write =
  | { readonly kind: 'submit'; readonly submission: Submission; readonly now: Micros }
  | { readonly kind: 'allocate'; readonly userId: string; readonly hint: string; readonly now: Micros }
  | { readonly kind: 'set'; readonly party: Party; readonly key: string; readonly value: string }
  /** Prunes the updates up to this offset, but at most `prunedAtOnce` of them (`writer.ts`). */
  | { readonly kind: 'prune'; readonly upTo: number }

/**
 * A committed update, and the templates and names that it touched. A message to the main thread has `update`
 * only if the main thread asked for whole updates (`follow`).
 */
export interface Committed {
  readonly offset: number
  readonly touched: Touched
  readonly update: StoredUpdate | undefined
}

export type WriteReply<U = StoredUpdate> =
  | { readonly kind: 'committed'; readonly update: U; readonly duplicate: boolean }
  | Refusal
  | { readonly kind: 'party'; readonly party: Party }
  | { readonly kind: 'set' }
  | { readonly kind: 'pruned'; readonly upTo: number }
  /** The write failed with the error `thrown`, and changed nothing. */
  | { readonly kind: 'failed'; readonly thrown: Thrown }

/**
 * For each kind of request that only reads: its parameters (`takes`) and its result (`gives`).
 * - A contract in a result is a string: the JSON of the node that created the contract.
 * - A result is undefined if nothing was found.
 * - `asOf` is the record time whose ledger state is read. Undefined for the present state.
 */
export interface Reads {
  party: { readonly takes: { readonly userId: string }; readonly gives: Party | undefined }
  /** Returns the offset of the update that allocated a party. Undefined if the ledger did not allocate it. */
  'allocated-at': { readonly takes: { readonly party: Party }; readonly gives: number | undefined }
  end: { readonly takes: object; readonly gives: number }
  updates: {
    readonly takes: { readonly after: number; readonly upTo: number; readonly limit: number }
    readonly gives: readonly StoredUpdate[]
  }
  printed: { readonly takes: { readonly request: PrintRequest }; readonly gives: PrintedUpdates }
  update: { readonly takes: { readonly updateId: string }; readonly gives: StoredUpdate | undefined }
  /**
   * Returns the offset of the last update whose record time is not later than `recordTime`. If that update is
   * pruned, returns the offset of the last pruned update.
   */
  'offset-at': { readonly takes: { readonly recordTime: Micros }; readonly gives: number }
  /** Returns the offset and the record time of the last update; undefined for an empty ledger. */
  reached: { readonly takes: object; readonly gives: Reached | undefined }
  active: {
    readonly takes: { readonly at: number; readonly limit: number; readonly after: EventPosition | undefined }
    readonly gives: readonly StoredActive[]
  }
  contract: {
    readonly takes: { readonly contractId: ContractId; readonly asOf: Micros | undefined }
    readonly gives: string | undefined
  }
  contracts: {
    readonly takes: {
      readonly filter: ContractFilter
      readonly limit: number
      readonly asOf: Micros | undefined
    }
    readonly gives: readonly string[]
  }
  entries: { readonly takes: { readonly filter: EntryFilter }; readonly gives: readonly StoredEntry[] }
  due: {
    readonly takes: { readonly filter: DueFilter; readonly limit: number }
    readonly gives: readonly string[]
  }
  setting: {
    readonly takes: { readonly party: Party; readonly key: string }
    readonly gives: string | undefined
  }
}

export interface StoredEntry {
  readonly name: string
  readonly user: Party
  readonly expiresAt: Micros
  readonly contract: string
}

export type ReadKind = keyof Reads
export type LedgerRead = { [K in ReadKind]: { readonly kind: K } & Reads[K]['takes'] }[ReadKind]

/** Events in the ledger's thread that are reported to the operator of the daemon. */
export type LedgerEvent =
  | ({ readonly kind: 'tail-cut' } & TornTail)
  | { readonly kind: 'begun-anew'; readonly reason: string }
  | { readonly kind: 'writes-stopped'; readonly reason: string }
  | { readonly kind: 'writes-resumed' }
  | { readonly kind: 'reindexed' }

export type ToThread =
  | { readonly kind: 'write'; readonly id: number; readonly write: Write }
  | { readonly kind: 'read'; readonly id: number; readonly read: LedgerRead }
  /** A request to the service in the ledger's thread. The ledger passes it on unchanged. */
  | { readonly kind: 'ask'; readonly id: number; readonly request: unknown; readonly now: Micros }
  /**
   * Sets what the thread sends to the main thread after each commit: the offset of each update, with the
   * templates and names that the update touched. If `whole`, the thread also sends the update itself.
   */
  | { readonly kind: 'follow'; readonly whole: boolean }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'opened'; readonly identity: Identity; readonly prunedUpTo: number }
  | { readonly kind: 'not-opened'; readonly message: string }
  /**
   * The outcome of a group of writes that shared one commit:
   * - `updates`: the new updates, in order.
   * - `results`: the results of the writes that the main thread requested.
   * - `own`: the outcomes of the writes that the service in the ledger's thread requested. The main thread
   *   only counts them.
   */
  | {
      readonly kind: 'written'
      readonly updates: readonly Committed[]
      readonly results: readonly (readonly [id: number, written: WriteReply])[]
      readonly own: readonly WriteOutcome[]
    }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'no-answer'; readonly id: number; readonly thrown: Thrown }
  | { readonly kind: 'event'; readonly event: LedgerEvent }
  /** An event from the service in the ledger's thread. */
  | { readonly kind: 'service-event'; readonly event: unknown }

/**
 * The types of the messages between the main thread and a service in the ledger's thread: requests, their
 * results, and events. Each message is copied by structured clone.
 */
export interface ServiceProtocol {
  readonly request: unknown
  readonly answer: unknown
  readonly event: unknown
}

/** The protocol of a ledger whose thread runs no service. */
export interface NoService extends ServiceProtocol {
  readonly request: never
  readonly answer: never
  readonly event: never
}

/**
 * Collects the messages that are added in one turn of the event loop, and posts them as one message. The
 * other thread then wakes up only once.
 */
export class Outbox<Message> {
  readonly #post: (messages: readonly Message[]) => void
  #messages: Message[] = []

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post
  }

  add(message: Message): void {
    // Node runs this `nextTick` callback only after all pending microtasks. Messages that those microtasks
    // add are then posted too.
    if (this.#messages.push(message) === 1) queueMicrotask(() => process.nextTick(() => this.flush()))
  }

  /** Posts the collected messages immediately. */
  flush(): void {
    if (this.#messages.length === 0) return
    const messages = this.#messages
    this.#messages = []
    this.#post(messages)
  }
}

/** A `LedgerUnavailable` or a `LedgerDamaged`, as plain data. */
export interface ThrownUnavailable {
  readonly kind: 'unavailable' | 'damaged'
  readonly message: string
}

/**
 * An error as plain data, because an error object would lose its class on the way to another thread. The kind
 * `fault` covers every error except the two of `ThrownUnavailable`. Such an error is a bug in the program.
 */
export type Thrown =
  | ThrownUnavailable
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string | undefined }

export function packThrown(error: unknown): Thrown {
  if (error instanceof LedgerDamaged) return { kind: 'damaged', message: error.message }
  if (error instanceof LedgerUnavailable) return { kind: 'unavailable', message: error.message }
  if (!(error instanceof Error)) return { kind: 'fault', message: String(error), stack: undefined }
  const { message, stack } = error
  return { kind: 'fault', message, stack }
}

export function unpackThrown(thrown: Thrown): Error {
  switch (thrown.kind) {
    case 'unavailable':
      return new LedgerUnavailable(thrown.message)
    case 'damaged':
      return new LedgerDamaged(thrown.message)
    case 'fault':
      return Object.assign(new Error(thrown.message), thrown.stack !== undefined && { stack: thrown.stack })
  }
}
