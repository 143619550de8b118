import type { Refusal, Submission } from '../command.ts'
import {
  type ContractFilter,
  type DueFilter,
  type EntryFilter,
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

/** The parameters with which the ledger's thread starts and opens the file. */
export interface Start {
  readonly file: string | undefined
  readonly maxBytes: number | undefined
  /** The identity for a new ledger; undefined for a random one. */
  readonly identity: Identity | undefined
}

/**
 * A write that the main thread, or the service in the ledger's thread, asks for. `now` is the time of the submitter's
 * clock.
 */
export type Write =
  | { readonly kind: 'submit'; readonly submission: Submission; readonly now: Micros }
  | { readonly kind: 'allocate'; readonly userId: string; readonly hint: string; readonly now: Micros }
  | { readonly kind: 'set'; readonly party: Party; readonly key: string; readonly value: string }
  /** Prunes updates up to this offset, but only as many as fit into one commit. */
  | { readonly kind: 'prune'; readonly upTo: number }

/**
 * A committed update, and what it touched. `update` is undefined unless the main thread has asked for whole updates
 * (`follow`).
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
  /** The write failed because of `thrown`, and changed nothing. */
  | { readonly kind: 'failed'; readonly thrown: Thrown }

/**
 * Every kind of read, with its parameters and its result. A contract is represented by the JSON of the node that
 * created it.
 */
export interface Reads {
  party: { readonly takes: { readonly userId: string }; readonly gives: Party | undefined }
  /** Returns the offset of the update that allocated a party. Undefined if this ledger did not allocate it. */
  'allocated-at': { readonly takes: { readonly party: Party }; readonly gives: number | undefined }
  end: { readonly takes: object; readonly gives: number }
  updates: {
    readonly takes: { readonly after: number; readonly upTo: number; readonly limit: number }
    readonly gives: readonly StoredUpdate[]
  }
  printed: { readonly takes: { readonly request: PrintRequest }; readonly gives: PrintedUpdates }
  update: { readonly takes: { readonly updateId: string }; readonly gives: StoredUpdate | undefined }
  /**
   * Returns the offset of the last update whose record time is not later than `recordTime`. It is never before the last
   * pruned update.
   */
  'offset-at': { readonly takes: { readonly recordTime: Micros }; readonly gives: number }
  /** Returns the position of the last update; undefined for an empty ledger. */
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

/** Events of the ledger's thread that an operator should know of. */
export type LedgerEvent =
  | ({ readonly kind: 'tail-cut' } & TornTail)
  | { readonly kind: 'writes-stopped'; readonly reason: string }
  | { readonly kind: 'writes-resumed' }
  | { readonly kind: 'reindexed' }

export type ToThread =
  | { readonly kind: 'write'; readonly id: number; readonly write: Write }
  | { readonly kind: 'read'; readonly id: number; readonly read: LedgerRead }
  /** A request to the service in the ledger's thread. The ledger does not look into it. */
  | { readonly kind: 'ask'; readonly id: number; readonly request: unknown; readonly now: Micros }
  /** With `whole`, the thread sends each committed update as well, not only what the update touched. */
  | { readonly kind: 'follow'; readonly whole: boolean }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'opened'; readonly identity: Identity; readonly prunedUpTo: number }
  | { readonly kind: 'not-opened'; readonly message: string }
  /**
   * The result of a group of writes. `updates` are in order, `results` are for the writes of the main thread, and
   * `own` are the outcomes of the writes of the thread's service.
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
  /** An event that the service in the ledger's thread sends on its own. */
  | { readonly kind: 'service-event'; readonly event: unknown }

/**
 * The messages of a service in the ledger's thread: requests, their answers, and events. Each message is cloned on its
 * way to the other thread.
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
 * Collects the messages of one turn of the event loop, including its microtasks, and sends them together. One clone
 * and one wake-up of the other thread then serve all of them.
 */
export class Outbox<Message> {
  readonly #post: (messages: readonly Message[]) => void
  #messages: Message[] = []

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post
  }

  add(message: Message): void {
    // A tick that a microtask schedules runs after all microtasks.
    if (this.#messages.push(message) === 1) queueMicrotask(() => process.nextTick(() => this.flush()))
  }

  /** Sends the collected messages at once. */
  flush(): void {
    if (this.#messages.length === 0) return
    const messages = this.#messages
    this.#messages = []
    this.#post(messages)
  }
}

/**
 * An error in the form in which it goes to another thread, because objects lose their class on the way. The kind
 * `fault` is a bug in the program.
 */
export type Thrown =
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string | undefined }

export function packThrown(error: unknown): Thrown {
  if (error instanceof LedgerUnavailable) return { kind: 'unavailable', message: error.message }
  if (!(error instanceof Error)) return { kind: 'fault', message: String(error), stack: undefined }
  const { message, stack } = error
  return { kind: 'fault', message, stack }
}

export function unpackThrown(thrown: Thrown): Error {
  switch (thrown.kind) {
    case 'unavailable':
      return new LedgerUnavailable(thrown.message)
    case 'fault':
      return Object.assign(new Error(thrown.message), thrown.stack !== undefined && { stack: thrown.stack })
  }
}
