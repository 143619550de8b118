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

export type Outcome =
  | {
      readonly kind: 'committed'
      readonly transaction: Transaction
      /**
       * True if an earlier submission with the same `commandId`, `userId` and `actAs` had already made this
       * transaction.
       */
      readonly duplicate: boolean
    }
  | Refusal

/**
 * Thrown if the ledger cannot carry out a call now, for example because the disk is full or the file is damaged. Reads
 * may still work.
 */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

/** Thrown if the stored data are damaged, so that no later attempt succeeds. */
export class LedgerDamaged extends LedgerUnavailable {}

/** Selects the contracts that meet all of the following conditions. */
export interface ContractFilter {
  /** The template of the contracts: `Module.Path:Entity`. */
  readonly template: string
  /** This party must be a stakeholder. */
  readonly party?: Party
  /**
   * The required values of some strings in the contract's argument, by lookup key. `Template.indexed` lists
   * the lookup keys of a template, such as `name`, `user`, `reference` or `owner`.
   */
  readonly where?: Readonly<Record<string, string>>
}

/** A selection of contracts by the time at which automation must act on them. */
export interface DueFilter {
  /**
   * A template whose contracts have a time at which automation must act: `Splice.Ans:AnsEntry` (`expiresAt`) or
   * `Splice.Wallet.Subscriptions:SubscriptionIdleState` (`nextPaymentDueAt`).
   */
  readonly template: string
  /** Only contracts whose time to act is before this time are selected. */
  readonly before: Micros
  /**
   * The last contract of the previous page, in the order in which `due` returns contracts. Undefined for the
   * first page.
   */
  readonly after?: { readonly dueAt: Micros; readonly contractId: ContractId }
}

/**
 * A registered name and its contract. The contract is active, either now or at the time `EntryFilter.asOf`. The name
 * may have expired, because a contract stays active until automation archives it.
 */
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
  /** The time at which the entries must not have expired: their `expiresAt` is this time or later. */
  readonly notExpiredAt?: Micros
  /** The maximum number of entries to return. Entries are sorted by name, in the order of code points. */
  readonly limit: number
  /** The record time at which the entries must have been active. If undefined, the entries must be active now. */
  readonly asOf?: Micros
}

/**
 * A request to serialise the updates in a range of offsets to JSON. The JSON has only what one reader may
 * see.
 */
export interface PrintRequest {
  /** The range begins after this offset. */
  readonly after: number
  /** The range ends with this offset. */
  readonly upTo: number
  /** True to serialise the last update of the range first. */
  readonly descending: boolean
  /**
   * The maximum number of updates to serialise. 0 serialises no update: `next` then tells whether the range
   * has an update that the reader may see.
   */
  readonly most: number
  readonly format: UpdateFormat
  readonly rights: ReadRights
}

/** The updates of a range as JSON, with only what one reader may see. */
export interface PrintedUpdates {
  /** The updates as elements of a JSON list in UTF-8, with commas between them but without brackets. */
  readonly json: Uint8Array
  readonly count: number
  /**
   * The offset of the first update that was left out because `PrintRequest.most` was reached. Undefined if
   * the call ended for another reason, such as a full buffer or the end of the range.
   */
  readonly next: number | undefined
  /**
   * The part of the range that this call covered: the offsets after `after`, up to and including `upTo`. Both
   * values are meaningful only if `next` is undefined.
   */
  readonly after: number
  readonly upTo: number
}

/**
 * A Daml ledger: an ordered stream of updates, and the contracts that are active after each update. A
 * submission that is neither rejected nor a duplicate adds one update. Each method rejects with
 * `LedgerUnavailable` if the ledger cannot carry out the call now.
 */
export interface Ledger extends AsyncDisposable {
  /**
   * Executes a submission. Resolves once the transaction is durable, or once the ledger has rejected the
   * submission. A rejected submission changes nothing.
   */
  submit(submission: Submission): Promise<Outcome>
  /**
   * Finds the party of a user. The first call for a user allocates the party. The new party id then begins
   * with `hint` if possible.
   */
  partyOf(userId: string, hint: string): Promise<Party>
  findParty(userId: string): Promise<Party | undefined>
  /** True if this ledger allocated the party. */
  hosts(party: Party): Promise<boolean>
  /** Returns the offset of the last update; 0 for an empty ledger. */
  end(): Promise<number>
  /** Returns the offset up to which updates were pruned and cannot be read any more; 0 if none were. */
  prunedUpTo(): Promise<number>
  /** Returns the offset of the last update, and the record time of that update. */
  checkpoint(): Promise<OffsetCheckpoint>
  findUpdate(updateId: string): Promise<Update | undefined>
  /**
   * Returns at most `limit` updates after the offset `after`, up to and including `upTo`, in order. Pruned
   * updates are left out.
   */
  updates(after: number, upTo: number, limit: number): Promise<readonly Update[]>
  /**
   * Serialises updates of a range to JSON, with only what one reader may see. The JSON begins with the first
   * update of the range, or with the last one if `descending`. One call may cover only a part of the range.
   * `PrintedUpdates` tells which part.
   */
  printed(request: PrintRequest): Promise<PrintedUpdates>
  /** Calls a function once for each committed update, in order. Returns a function that unsubscribes. */
  watch(watcher: (touched: Touched, offset: number) => void): () => void
  /**
   * Calls a function with each update after its commit, in order. For each update, subscribers are called
   * before the watchers of `watch`. Returns a function that unsubscribes. Use `watch` if it suffices. Whole
   * updates are large, and the ledger's thread sends them to the main thread only while there are
   * subscribers.
   */
  subscribe(subscriber: (update: Update) => void): () => void
  /**
   * Returns at most `limit` contracts that were active after the update at offset `at`, in the order of
   * creation. The list begins after the position `after`. Without `after`, it begins with the first contract.
   */
  activeContracts(at: number, limit: number, after?: EventPosition): Promise<readonly ActiveContract[]>
  /**
   * Finds a contract that was active at the record time `asOf`. Without `asOf`, finds a contract that is
   * active now. Undefined if there is no such contract.
   */
  contract(contractId: ContractId, asOf?: Micros): Promise<Contract | undefined>
  contracts(filter: ContractFilter, limit: number, asOf?: Micros): Promise<readonly Contract[]>
  entries(filter: EntryFilter): Promise<readonly ActiveEntry[]>
  /**
   * Returns at most `limit` contracts on which automation must act, ordered by the time to act and then by contract
   * id.
   */
  due(filter: DueFilter, limit: number): Promise<readonly Contract[]>
  /**
   * Returns the string that `setSetting` stored for a party under this key; undefined if there is no such
   * string. Settings are not part of the ledger's updates.
   */
  setting(party: Party, key: string): Promise<string | undefined>
  /** Stores a string for a party under a key. Resolves when the string is on the disk. */
  setSetting(party: Party, key: string, value: string): Promise<void>
}

/** The methods of a ledger for one user. */
export interface UserLedger {
  /** As `Ledger.submit`. */
  submit(submission: Submission): Promise<Outcome>
  /** Finds a contract that is active now. Undefined if there is no such contract. */
  contract(contractId: ContractId): Promise<Contract | undefined>
  /** Returns at most `limit` contracts that are active now, the oldest first. */
  contracts(filter: ContractFilter, limit: number): Promise<readonly Contract[]>
}

/** Thrown if a ledger rejects a request. `error` is the Canton error that states the reason. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal'
  /** The HTTP status that Canton sends with this error (EndpointsCompanion.scala). */
  readonly status: number
  readonly error: CantonErrorBody

  constructor(status: number, error: CantonErrorBody) {
    super(`${error.code}: ${error.cause}`)
    this.status = status
    this.error = error
  }
}

/**
 * The outcome of a write.
 * - `duplicate`: an earlier submission had already made this change.
 * - `unavailable`: the ledger could not carry out the write (`LedgerUnavailable`), or its outcome is unknown.
 * - `failed`: the write threw an error that only a bug in the program can cause.
 */
export type WriteOutcome = 'committed' | 'duplicate' | 'refused' | 'unavailable' | 'failed'

/**
 * Returns the result of `write`, or throws its error. In both cases, passes the outcome of the write to
 * `tell` first.
 */
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
