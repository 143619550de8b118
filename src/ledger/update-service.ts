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
  /** The offset of the update, of the checkpoint, or of the contract's creation. */
  readonly offset: number
  /** `{"update": ...}`, or an active contract. */
  readonly text: string
}

/** The range that a page covers. It is known once the page's last update was read. */
export interface PageBounds {
  readonly lowestPageOffsetExclusive: number
  readonly highestPageOffsetInclusive: number
  /** Base64; null after the last page. */
  readonly nextPageToken: string | null
}

export interface UpdatesPage {
  /** Chunks of JSON elements with commas between them, to be read once. Throws as `Elements` does. */
  readonly updates: AsyncIterable<string | Uint8Array>
  /**
   * Returns the bounds of the page.
   * @throws Error if called before `updates` was read to its end.
   */
  bounds(): PageBounds
}

export interface ContractsPage {
  readonly activeAtOffset: number
  /** Chunks of JSON elements with commas between them, to be read once. Throws as `Elements` does. */
  readonly contracts: AsyncIterable<string>
  /**
   * Returns the token of the next page, base64; null after the last page.
   * @throws Error if called before `contracts` was read to its end.
   */
  nextPageToken(): string | null
}

/** A synchronizer to which the participant is connected: a schema of Canton's JSON Ledger API. */
export interface ConnectedSynchronizer {
  readonly synchronizerAlias: string
  readonly synchronizerId: string
  /** The permission of the requested party: `PARTICIPANT_PERMISSION_...`. */
  readonly permission: string
}

/**
 * Non-empty batches of elements, read on demand. A caller that stops early must abort the signal of its request.
 * Iteration throws `CantonError`, also after some elements, for example for updates pruned meanwhile or an expired
 * token.
 */
export type Elements = AsyncIterable<readonly Element[]>

/**
 * The reads of Canton's JSON Ledger API for one caller. Requests are decoded, and those in the older form rewritten.
 * A method rejects with the `CantonError` of the first failed check, in Canton's order. The token was checked before.
 */
export interface UpdateReads {
  /** Returns the offset of the last update, with the last record time of each synchronizer. */
  ledgerEnd(): Promise<OffsetCheckpoint>
  /** Returns the offset up to which updates were pruned; 0 for none. */
  prunedUpTo(): Promise<number>
  /** Returns updates in order. Without an end, it adds future updates and checkpoints until the signal aborts. */
  updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements>
  page(request: UpdatesPageRequest, signal: AbortSignal): Promise<UpdatesPage>
  update(request: UpdateRequest): Promise<Element>
  activeContracts(request: ActiveContractsRequest, signal: AbortSignal): Promise<Elements>
  contractsPage(request: ContractsPageRequest, signal: AbortSignal): Promise<ContractsPage>
  /** Returns the participant's synchronizers; if the request has a party, those on which the participant hosts it. */
  synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]>
}

/** Serves Canton's JSON Ledger API. One implementation reads the embedded ledger, another one asks a participant. */
export interface UpdateService {
  /** The number of streams without an end that are open now. */
  readonly readers: number
  /**
   * Returns `GetLedgerApiVersionResponse`.
   * @throws CantonError
   */
  version(): Promise<object>
  /**
   * Checks a token, before any other part of its request is checked.
   *
   * @param bearer the token itself.
   * @param requestId names the request in the log.
   * @throws CantonError for a token that is not accepted: `unauthenticated`, `unknownUser`, `permissionDenied` if it
   * is for another participant, `notRunning` if it cannot be checked now, or the participant's own error.
   */
  open(bearer: string, requestId?: string): Promise<UpdateReads>
}
