import type { Refusal, Submission } from '../command.ts'
import {
  type ContractFilter,
  type DueFilter,
  type EntryFilter,
  type HostedParty,
  LedgerDamaged,
  LedgerUnavailable,
  type PartyFilter,
  type PrintedUpdates,
  type PrintRequest,
  type WriteOutcome,
} from '../ledger.ts'
import type { EventPosition, Touched } from '../update.ts'
import type { ContractId, Micros, Party } from '../value.ts'
import type { OffsetAndTime } from './chain.ts'
import type { StoredActive, StoredUpdate } from './encoding.ts'
import type { Identity } from './identity.ts'

export interface Start {
  readonly file: string | undefined
  readonly maxBytes: number | undefined
  readonly identity: Identity | undefined
}

export type Write =
  | { readonly kind: 'submit'; readonly submission: Submission; readonly now: Micros }
  | { readonly kind: 'allocate'; readonly userId: string; readonly hint: string; readonly now: Micros }
  | { readonly kind: 'set'; readonly party: Party; readonly key: string; readonly value: string }
  /** Prunes at most `prunedAtOnce` updates (`writer.ts`). */
  | { readonly kind: 'prune'; readonly upTo: number }

/** The main thread gets `update` only while it follows whole updates (`follow`). */
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
  | { readonly kind: 'failed'; readonly thrown: Thrown }

/**
 * The parameters (`takes`) and the result (`gives`) of each read. A contract in a result is the
 * JSON of the node that created it. `asOf` is a record time; undefined for the present state.
 */
export interface Reads {
  party: { readonly takes: { readonly userId: string }; readonly gives: Party | undefined }
  parties: { readonly takes: { readonly filter: PartyFilter }; readonly gives: readonly HostedParty[] }
  'allocated-at': { readonly takes: { readonly party: Party }; readonly gives: number | undefined }
  end: { readonly takes: object; readonly gives: number }
  updates: {
    readonly takes: { readonly after: number; readonly upTo: number; readonly limit: number }
    readonly gives: readonly StoredUpdate[]
  }
  printed: { readonly takes: { readonly request: PrintRequest }; readonly gives: PrintedUpdates }
  update: { readonly takes: { readonly updateId: string }; readonly gives: StoredUpdate | undefined }
  'offset-at': { readonly takes: { readonly recordTime: Micros }; readonly gives: number }
  reached: { readonly takes: object; readonly gives: OffsetAndTime | undefined }
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

export type LedgerEvent =
  | { readonly kind: 'set-aside'; readonly as: string; readonly reason: string }
  | { readonly kind: 'writes-stopped'; readonly reason: string }
  | { readonly kind: 'writes-resumed' }
  | { readonly kind: 'reindexed' }

export type ToThread =
  | { readonly kind: 'write'; readonly id: number; readonly write: Write }
  | { readonly kind: 'read'; readonly id: number; readonly read: LedgerRead }
  | { readonly kind: 'ask'; readonly id: number; readonly request: unknown; readonly now: Micros }
  /**
   * Sets whether the thread sends each whole update after a commit, or only the offset and what the
   * update touched.
   */
  | { readonly kind: 'follow'; readonly whole: boolean }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'opened'; readonly identity: Identity; readonly prunedUpTo: number }
  | { readonly kind: 'not-opened'; readonly message: string }
  /**
   * The outcome of writes that shared one commit. `results` belongs to writes of the main thread,
   * `own` to writes of the service in the ledger's thread.
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
  | { readonly kind: 'service-event'; readonly event: unknown }

/**
 * The messages between the main thread and a service in the ledger's thread. They are copied by
 * structured clone.
 */
export interface ServiceProtocol {
  readonly request: unknown
  readonly answer: unknown
  readonly event: unknown
}

export interface NoService extends ServiceProtocol {
  readonly request: never
  readonly answer: never
  readonly event: never
}

/**
 * Posts the messages of one turn of the event loop together, so that the other thread wakes up only
 * once.
 */
export class Outbox<Message> {
  readonly #post: (messages: readonly Message[]) => void
  #messages: Message[] = []

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post
  }

  add(message: Message): void {
    // Node runs this `nextTick` callback after all pending microtasks, so that messages of those
    // microtasks are posted too.
    if (this.#messages.push(message) === 1) queueMicrotask(() => process.nextTick(() => this.flush()))
  }

  flush(): void {
    if (this.#messages.length === 0) return
    const messages = this.#messages
    this.#messages = []
    this.#post(messages)
  }
}

export interface ThrownUnavailable {
  readonly kind: 'unavailable' | 'damaged'
  readonly message: string
}

/**
 * An error as plain data, because an error object would lose its class on the way to another
 * thread. The kind `fault` is a bug in the program.
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
