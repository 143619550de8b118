import type { OffsetCheckpoint } from './update.ts'
import type {
  ActiveContractsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from './wire/requests.ts'

/** One element of an answer, in Canton's JSON. */
export interface Element {
  /** Of the update, the checkpoint or the contract's creation. */
  readonly offset: number
  /** `{"update": ...}`, or an active contract. */
  readonly text: string
}

/** What a page covers, told when its last update was. */
export interface PageBounds {
  readonly lowestPageOffsetExclusive: number
  readonly highestPageOffsetInclusive: number
  /** Base64; null behind the last page. */
  readonly nextPageToken: string | null
}

export interface UpdatesPage {
  /** JSON of some at a time with commas between, to be read once. Throws as `Elements` does. */
  readonly updates: AsyncIterable<string | Uint8Array>
  /** @throws Error before `updates` has ended. */
  bounds(): PageBounds
}

export interface ContractsPage {
  readonly activeAtOffset: number
  /** JSON of some at a time with commas between, to be read once. Throws as `Elements` does. */
  readonly contracts: AsyncIterable<string>
  /** Base64; null behind the last page. @throws Error before `contracts` has ended. */
  nextPageToken(): string | null
}

/** `ConnectedSynchronizer` */
export interface ConnectedSynchronizer {
  readonly synchronizerAlias: string
  readonly synchronizerId: string
  /** `PARTICIPANT_PERMISSION_...`, of the party that was asked for. */
  readonly permission: string
}

/**
 * Some elements at a time, never none. It holds no more than these. Where it is not read to its end, the signal that
 * it was asked for with has to abort. Throws `CantonError`, also behind elements: for what was pruned meanwhile, or a
 * token that expired.
 */
export type Elements = AsyncIterable<readonly Element[]>

/**
 * What Canton's JSON Ledger API reads of a ledger, for one caller. What a method rejects with is a `CantonError`, the
 * first in the order of Canton's checks from the token's on: requests come in decoded, their older form rewritten.
 */
export interface UpdateReads {
  /** The end, with the last record time of each synchronizer. */
  ledgerEnd(): Promise<OffsetCheckpoint>
  /** Updates up to this offset were pruned; 0 for none. */
  prunedUpTo(): Promise<number>
  /** In order; a request without an end goes on until the signal aborts, with checkpoints in between. */
  updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements>
  page(request: UpdatesPageRequest, signal: AbortSignal): Promise<UpdatesPage>
  update(request: UpdateRequest): Promise<Element>
  activeContracts(request: ActiveContractsRequest, signal: AbortSignal): Promise<Elements>
  contractsPage(request: ContractsPageRequest, signal: AbortSignal): Promise<ContractsPage>
  /** Where the participant is connected to, or where it hosts a party. */
  synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]>
}

/** A ledger behind Canton's JSON Ledger API: one driver for a ledger of this process, one for a participant's. */
export interface UpdateService {
  /** Streams without an end that are read now. */
  readonly readers: number
  /** `GetLedgerApiVersionResponse`. @throws CantonError */
  version(): Promise<object>
  /**
   * Says who reads, before anything of a request but its token is looked at.
   *
   * @param bearer the token itself.
   * @throws CantonError for a token that lets nobody read: `unauthenticated`, `unknownUser`, `permissionDenied` where it
   * is for another participant, `notRunning` where it cannot be judged now, and what a participant says of it.
   */
  open(bearer: string): Promise<UpdateReads>
}
