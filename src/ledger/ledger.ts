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

/** Writes are off: the disk is full, or the file is damaged. Reads go on. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}

/** Which contracts: every condition that is given holds. */
export interface ContractFilter {
  /** `Module.Path:Entity` */
  readonly template: string
  /** A stakeholder. */
  readonly party?: Party
  /** Members of the argument that are indexed for the template (`name`, `user`, `reference`, `owner`, ...), and their values. */
  readonly where?: Readonly<Record<string, string>>
}

/** Contracts by the time that each has of its own. */
export interface DueFilter {
  /**
   * `Splice.Ans:AnsEntry` (its time is `expiresAt`) or `Splice.Wallet.Subscriptions:SubscriptionIdleState`
   * (`nextPaymentDueAt`).
   */
  readonly template: string
  /** Only those whose time is before this. */
  readonly before: Micros
  /** Only those that come after this one. */
  readonly after?: { readonly dueAt: Micros; readonly contractId: ContractId }
}

/** An active name. */
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
  /** Only those with `expiresAt` at or after this. */
  readonly notExpiredAt?: Micros
  /** At most this many, in the order of the names' code points. */
  readonly limit: number
  /** As the ledger was at this record time; now where it is left out. */
  readonly asOf?: Micros
}

/** The next updates of a range, for one reader. */
export interface PrintRequest {
  /** Exclusive. */
  readonly after: number
  /** Inclusive. */
  readonly upTo: number
  /** From the last update to the first. */
  readonly descending: boolean
  /** At most this many updates are printed. 0 prints none; `next` then tells whether there is one. */
  readonly most: number
  readonly format: UpdateFormat
  readonly rights: ReadRights
}

/** Updates of a range as JSON, as one reader gets them. */
export interface PrintedUpdates {
  /** Elements of a list, with commas between, in UTF-8. */
  readonly json: Uint8Array
  readonly count: number
  /** The offset of the first update beyond `most`; undefined if this part of the range has none. */
  readonly next: number | undefined
  /** The part of the range that was read, exclusive and inclusive, if `next` is undefined. */
  readonly after: number
  readonly upTo: number
}

/**
 * A Daml ledger: an ordered stream of updates, the contracts that are active after them, and submissions that add to
 * it. Every method rejects with `LedgerUnavailable` where the ledger cannot do it now.
 */
export interface Ledger extends AsyncDisposable {
  /** Resolves when the outcome is durable. A refusal changed nothing. */
  submit(submission: Submission): Promise<Outcome>
  /** The party of a user, allocated with this hint when first asked for. */
  partyOf(userId: string, hint: string): Promise<Party>
  findParty(userId: string): Promise<Party | undefined>
  /** Whether this ledger allocated the party. */
  hosts(party: Party): Promise<boolean>
  /** 0 for an empty ledger. */
  end(): Promise<number>
  /** Updates up to this offset were pruned and cannot be read any more; 0 for none. */
  prunedUpTo(): Promise<number>
  /** The ledger's end. */
  checkpoint(): Promise<OffsetCheckpoint>
  findUpdate(updateId: string): Promise<Update | undefined>
  /** Updates with an offset above `after`, up to and including `upTo`, at most `limit`, in order. */
  updates(after: number, upTo: number, limit: number): Promise<readonly Update[]>
  /** Prints the next part of a range for one reader, from one end of the range. */
  printed(request: PrintRequest): Promise<PrintedUpdates>
  /** Calls a function after each commit, in order. Returns a function that stops this. */
  watch(watcher: (touched: Touched, offset: number) => void): () => void
  /**
   * Calls a function with each update after its commit, in order, before those of `watch`. Returns a function that stops
   * this. Without subscribers, committed updates stay in the ledger's thread.
   */
  subscribe(subscriber: (update: Update) => void): () => void
  /**
   * Contracts that were active after the update at this offset, at most `limit`, in the order of their creation, from
   * behind the position `after`.
   */
  activeContracts(at: number, limit: number, after?: EventPosition): Promise<readonly ActiveContract[]>
  contract(contractId: ContractId, asOf?: Micros): Promise<Contract | undefined>
  contracts(filter: ContractFilter, limit: number, asOf?: Micros): Promise<readonly Contract[]>
  entries(filter: EntryFilter): Promise<readonly ActiveEntry[]>
  /** At most `limit`, by time, then by contract id. */
  due(filter: DueFilter, limit: number): Promise<readonly Contract[]>
  /** A text kept with a party, which is no part of the ledger's updates; undefined where none was set. */
  setting(party: Party, key: string): Promise<string | undefined>
  /** Resolves when the text is durable. */
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
 * What became of a write: `duplicate` was done before; `unavailable` may be done later, or is not known to be done;
 * `failed` is a mistake of the program.
 */
export type WriteOutcome = 'committed' | 'duplicate' | 'refused' | 'unavailable' | 'failed'

/** Reports the outcome of a write and passes its result on. */
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
