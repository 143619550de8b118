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
      /** True if an earlier submission with the same command id had already made this transaction. */
      readonly duplicate: boolean
    }
  | Refusal

/**
 * Thrown if the ledger cannot carry out a call now, such as a write to a full disk or to a damaged file. Reads may
 * still work.
 */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

/** Selects contracts. A contract must meet all conditions that are given. */
export interface ContractFilter {
  /** The template of the contracts: `Module.Path:Entity`. */
  readonly template: string
  /** This party must be a stakeholder. */
  readonly party?: Party
  /**
   * The values that indexed members of the argument must have. The keys are those of `Template.indexed`: `name`,
   * `user`, `reference`, `owner`, ...
   */
  readonly where?: Readonly<Record<string, string>>
}

/** Selects contracts by the time at which automation must act on them. */
export interface DueFilter {
  /**
   * A template whose contracts have a time at which automation must act: `Splice.Ans:AnsEntry` (`expiresAt`) or
   * `Splice.Wallet.Subscriptions:SubscriptionIdleState` (`nextPaymentDueAt`).
   */
  readonly template: string
  /** Selects contracts whose time to act is earlier than this. */
  readonly before: Micros
  /** Selects contracts that come after this one in the order in which `due` returns them. */
  readonly after?: { readonly dueAt: Micros; readonly contractId: ContractId }
}

/** The entry of a name that is not archived, now or at the time `EntryFilter.asOf`. It may have expired. */
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
  /** Selects entries that have not expired at this time: their `expiresAt` is this time or later. */
  readonly notExpiredAt?: Micros
  /** The most entries to return. They are sorted by name, in the order of code points. */
  readonly limit: number
  /** Selects from the entries that were not archived at this record time; by default, from the present ones. */
  readonly asOf?: Micros
}

/** Asks for updates of a range as JSON, reduced to what one reader may see. */
export interface PrintRequest {
  /** The range begins after this offset. */
  readonly after: number
  /** The range ends with this offset. */
  readonly upTo: number
  /** True to go from the last update to the first. */
  readonly descending: boolean
  /** The most updates to serialise. With 0, none is serialised, and `next` tells whether there is one. */
  readonly most: number
  readonly format: UpdateFormat
  readonly rights: ReadRights
}

/** Updates of a range as JSON, reduced to what one reader may see. */
export interface PrintedUpdates {
  /** The elements of a JSON list in UTF-8, with commas between them but without brackets. */
  readonly json: Uint8Array
  readonly count: number
  /**
   * The offset of the update at which the next request should begin, because `PrintRequest.most` updates come before
   * it. Undefined if the call ended otherwise: at the end of the part that one call reads, or with a full buffer.
   */
  readonly next: number | undefined
  /**
   * If `next` is undefined: the part of the range that this call covered, after the offset `after` up to and including
   * `upTo`.
   */
  readonly after: number
  readonly upTo: number
}

/**
 * A Daml ledger: an ordered stream of updates, and the contracts that are active after each of them. Submissions add
 * updates. A promise rejects with `LedgerUnavailable` if the ledger cannot carry out the call now.
 */
export interface Ledger extends AsyncDisposable {
  /**
   * Carries out a submission. Resolves when its transaction is durable, or when it is refused. A refused submission
   * changes nothing.
   */
  submit(submission: Submission): Promise<Outcome>
  /** Finds the party of a user. The first call for a user allocates the party; `hint` is a proposal for its name. */
  partyOf(userId: string, hint: string): Promise<Party>
  findParty(userId: string): Promise<Party | undefined>
  /** Whether this ledger allocated the party. */
  hosts(party: Party): Promise<boolean>
  /** Returns the offset of the last update; 0 for an empty ledger. */
  end(): Promise<number>
  /** Returns the offset up to which updates were pruned and cannot be read any more; 0 if none were. */
  prunedUpTo(): Promise<number>
  /** Returns the position of the last update, with its record time. */
  checkpoint(): Promise<OffsetCheckpoint>
  findUpdate(updateId: string): Promise<Update | undefined>
  /**
   * Returns the updates after the offset `after`, up to and including `upTo`, in order: at most `limit`. It leaves out
   * pruned updates.
   */
  updates(after: number, upTo: number, limit: number): Promise<readonly Update[]>
  /**
   * Serialises updates of a range to JSON, as one reader may see them. It begins with the first update, or with the
   * last if `descending`. One call may cover only a part of the range; the result tells which part.
   */
  printed(request: PrintRequest): Promise<PrintedUpdates>
  /** Calls a function once for each committed update, in order. Returns a function that ends these calls. */
  watch(watcher: (touched: Touched, offset: number) => void): () => void
  /**
   * Calls a function with each update after its commit, in order and before the functions of `watch`. Returns a
   * function that ends these calls. Without subscribers, whole updates are not sent from the ledger's thread.
   */
  subscribe(subscriber: (update: Update) => void): () => void
  /**
   * Returns contracts that were active after the update at this offset, in the order of creation. It begins after the
   * position `after`, or with the first contract, and returns at most `limit`.
   */
  activeContracts(at: number, limit: number, after?: EventPosition): Promise<readonly ActiveContract[]>
  contract(contractId: ContractId, asOf?: Micros): Promise<Contract | undefined>
  contracts(filter: ContractFilter, limit: number, asOf?: Micros): Promise<readonly Contract[]>
  entries(filter: EntryFilter): Promise<readonly ActiveEntry[]>
  /**
   * Returns at most `limit` contracts on which automation must act, ordered by the time to act and then by contract
   * id.
   */
  due(filter: DueFilter, limit: number): Promise<readonly Contract[]>
  /** Returns a text that was stored for a party; undefined if there is none. Such a text is not part of an update. */
  setting(party: Party, key: string): Promise<string | undefined>
  /** Stores a text for a party. Resolves when the text is on the disk. */
  setSetting(party: Party, key: string, value: string): Promise<void>
}

/** Thrown if a ledger refuses a request, with a Canton error. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal'
  /** The HTTP status that belongs to the error (EndpointsCompanion.scala). */
  readonly status: number
  readonly error: CantonErrorBody

  constructor(status: number, error: CantonErrorBody) {
    super(`${error.code}: ${error.cause}`)
    this.status = status
    this.error = error
  }
}

/**
 * The outcome of a write. `duplicate`: an earlier submission had already made this change. `unavailable`: the write
 * failed and may be tried later, or its outcome is unknown. `failed`: there is a bug in the program.
 */
export type WriteOutcome = 'committed' | 'duplicate' | 'refused' | 'unavailable' | 'failed'

/** Returns the result of a write, or throws its error. Reports the outcome to `tell` in both cases. */
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
