import type { CantonErrorBody } from '../errors/canton.ts'
import type { Refusal, Submission } from './command.ts'
import type {
  ActiveContract,
  Contract,
  EventPosition,
  OffsetCheckpoint,
  Touched,
  Transaction,
  Update,
} from './update.ts'
import type { ContractId, Micros, Party } from './value.ts'
import type { UpdateFormat } from './visibility/format.ts'
import type { ReadRights } from './visibility/rights.ts'

/** The outcome of a submission. */
export type Outcome =
  | {
      readonly kind: 'committed'
      readonly transaction: Transaction /** The same was committed before. */
      readonly duplicate: boolean
    }
  | Refusal

/** The ledger cannot do this now, such as a write on a full disk or to a damaged file. Reads may still work. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

/** Selects contracts. A contract must meet every given condition. */
export interface ContractFilter {
  /** `Module.Path:Entity` */
  readonly template: string
  /** A stakeholder. */
  readonly party?: Party
  /** The required values of indexed members of the argument (`name`, `user`, `reference`, `owner`, ...). */
  readonly where?: Readonly<Record<string, string>>
}

/** Selects contracts by the time at which automation must act on them. */
export interface DueFilter {
  /**
   * A template that has such a time: `Splice.Ans:AnsEntry` (`expiresAt`) or
   * `Splice.Wallet.Subscriptions:SubscriptionIdleState` (`nextPaymentDueAt`).
   */
  readonly template: string
  /** Selects contracts whose time is earlier than this. */
  readonly before: Micros
  /** Selects contracts that come after this one in the order of `due`. */
  readonly after?: { readonly dueAt: Micros; readonly contractId: ContractId }
}

/** The entry of an active name. */
export interface ActiveEntry {
  readonly contractId: ContractId
  readonly name: string
  readonly user: Party
  readonly expiresAt: Micros
  readonly contract: Contract
}

export interface EntryFilter {
  readonly name?: string
  readonly user?: Party
  readonly prefix?: string
  /** Selects entries with `expiresAt` at or after this. */
  readonly notExpiredAt?: Micros
  /** The maximum number of entries. They are ordered by the names' code points. */
  readonly limit: number
  /** Selects from the entries at this record time; by default, from the current ones. */
  readonly asOf?: Micros
}

/** A request for the next updates of a range as JSON, for one reader. */
export interface PrintRequest {
  /** Exclusive. */
  readonly after: number
  /** Inclusive. */
  readonly upTo: number
  /** From the last update to the first. */
  readonly descending: boolean
  /** The maximum number of updates. 0 returns none; `next` then says whether there is one. */
  readonly most: number
  readonly format: UpdateFormat
  readonly rights: ReadRights
}

/** Updates of a range as JSON, cut to what one reader may see. */
export interface PrintedUpdates {
  /** Elements of a list, with commas between, in UTF-8. */
  readonly json: Uint8Array
  readonly count: number
  /** The offset of the first update beyond `most`; undefined if this part of the range has none. */
  readonly next: number | undefined
  /** The part of the range that was read, from `after` (exclusive) to `upTo` (inclusive), if `next` is undefined. */
  readonly after: number
  readonly upTo: number
}

/**
 * A Daml ledger: an ordered stream of updates, and the contracts that are active after them. Submissions add updates.
 * Every method rejects with `LedgerUnavailable` if the ledger cannot do it now.
 */
export interface Ledger extends AsyncDisposable {
  /** Carries out a submission. Resolves when the outcome is durable. A refused submission changed nothing. */
  submit(submission: Submission): Promise<Outcome>
  /** Finds the party of a user. The first call allocates it, with this hint for its name. */
  partyOf(userId: string, hint: string): Promise<Party>
  findParty(userId: string): Promise<Party | undefined>
  /** Whether this ledger allocated the party. */
  hosts(party: Party): Promise<boolean>
  /** Returns the offset of the last update; 0 for an empty ledger. */
  end(): Promise<number>
  /** Returns the offset up to which updates were pruned and cannot be read; 0 for none. */
  prunedUpTo(): Promise<number>
  /** Returns the position of the last update, with its record time. */
  checkpoint(): Promise<OffsetCheckpoint>
  findUpdate(updateId: string): Promise<Update | undefined>
  /** Updates with an offset above `after`, up to and including `upTo`, at most `limit`, in order. */
  updates(after: number, upTo: number, limit: number): Promise<readonly Update[]>
  /**
   * Serialises updates of a range to JSON, as one reader may see them, from the first update or from the last if
   * `descending`. One call may cover part of the range: the result says how far it came.
   */
  printed(request: PrintRequest): Promise<PrintedUpdates>
  /** Calls a function after each commit, in order. Returns a function that stops this. */
  watch(watcher: (touched: Touched, offset: number) => void): () => void
  /**
   * Calls a function with each update after its commit, in order, before the functions of `watch`. Returns a function
   * that stops this. Without subscribers, committed updates stay in the ledger's thread.
   */
  subscribe(subscriber: (update: Update) => void): () => void
  /**
   * Returns contracts that were active after the update at this offset, in the order of their creation: at most
   * `limit`, from the first one after the position `after`.
   */
  activeContracts(at: number, limit: number, after?: EventPosition): Promise<readonly ActiveContract[]>
  contract(contractId: ContractId, asOf?: Micros): Promise<Contract | undefined>
  contracts(filter: ContractFilter, limit: number, asOf?: Micros): Promise<readonly Contract[]>
  entries(filter: EntryFilter): Promise<readonly ActiveEntry[]>
  /**
   * Returns contracts on which automation must act, ordered by that time and then by contract id; at most `limit`.
   */
  due(filter: DueFilter, limit: number): Promise<readonly Contract[]>
  /**
   * Returns a text stored for a party; undefined if none was set. These texts are not part of the ledger's updates.
   */
  setting(party: Party, key: string): Promise<string | undefined>
  /** Stores a text for a party. Resolves when the text is durable. */
  setSetting(party: Party, key: string, value: string): Promise<void>
}

/** A ledger refused a request, with a Canton error. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal'
  /** The HTTP status of the error (EndpointsCompanion.scala). */
  readonly status: number
  readonly error: CantonErrorBody

  constructor(status: number, error: CantonErrorBody) {
    super(`${error.code}: ${error.cause}`)
    this.status = status
    this.error = error
  }
}

/**
 * The result of a write. `duplicate`: an earlier submission did it. `unavailable`: it failed and may be tried later,
 * or its outcome is unknown. `failed`: there is a bug in the program.
 */
export type WriteOutcome = 'committed' | 'duplicate' | 'refused' | 'unavailable' | 'failed'

/** Reports the outcome of a write to `tell`, and passes the write's result on. */
export async function telling<W extends { readonly kind: string; readonly duplicate?: boolean }>(
  tell: (outcome: WriteOutcome) => void,
  write: Promise<W>,
): Promise<W> {
  try {
    const written = await write
    tell(written.kind === 'refused' ? 'refused' : written.duplicate === true ? 'duplicate' : 'committed')
    return written
  } catch (error) {
    tell(outcomeOf(error))
    throw error
  }
}

function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof LedgerRefusal) return 'refused'
  return error instanceof LedgerUnavailable ? 'unavailable' : 'failed'
}
