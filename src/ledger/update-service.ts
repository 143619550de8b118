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

/** The range that a page covers; known once its last update was read. */
export interface PageBounds {
  readonly lowestPageOffsetExclusive: number
  readonly highestPageOffsetInclusive: number
  /** Base64; null behind the last page. */
  readonly nextPageToken: string | null
}

export interface UpdatesPage {
  /** Chunks of JSON elements with commas between them, to be read once. Throws as `Elements` does. */
  readonly updates: AsyncIterable<string | Uint8Array>
  /** @throws Error before `updates` has ended. */
  bounds(): PageBounds
}

export interface ContractsPage {
  readonly activeAtOffset: number
  /** Chunks of JSON elements with commas between them, to be read once. Throws as `Elements` does. */
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
 * Non-empty batches of elements, one batch held at a time. A caller that does not read to the end has to abort the
 * signal of its request. Throws `CantonError`, also after elements: for updates pruned meanwhile or an expired token.
 */
export type Elements = AsyncIterable<readonly Element[]>

/**
 * The reads of Canton's JSON Ledger API for one caller. Requests come in decoded, their older form rewritten. A method
 * rejects with the `CantonError` of the first check that fails, in Canton's order after the token's check.
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
  /** The participant's synchronizers, or those on which it hosts a party. */
  synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]>
}

/** A ledger behind Canton's JSON Ledger API: one driver for a ledger of this process, one for a participant's. */
export interface UpdateService {
  /** Streams without an end that are read now. */
  readonly readers: number
  /** `GetLedgerApiVersionResponse`. @throws CantonError */
  version(): Promise<object>
  /**
   * Checks the token, before any other part of the request.
   *
   * @param bearer the token itself.
   * @throws CantonError for a token that is not accepted: `unauthenticated`, `unknownUser`, `permissionDenied` if it is
   * for another participant, `notRunning` if it cannot be checked now, or the participant's own error.
   */
  open(bearer: string): Promise<UpdateReads>
}
