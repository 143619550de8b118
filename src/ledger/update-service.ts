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
  /** The offset of the update or checkpoint, or of the creation of the contract. */
  readonly offset: number
  /** The JSON of the element: `{"update": ...}`, or an active contract. */
  readonly text: string
}

/** The range that a page covers. It becomes known when the page's last update is read. */
export interface PageBounds {
  readonly lowestPageOffsetExclusive: number
  readonly highestPageOffsetInclusive: number
  /** The token of the next page in base64; null after the last page. */
  readonly nextPageToken: string | null
}

export interface UpdatesPage {
  /**
   * Chunks of a JSON list. Each has one or more elements with commas between them; the caller adds the commas between
   * chunks. The chunks can be read once. Iteration throws as `Elements` does.
   */
  readonly updates: AsyncIterable<string | Uint8Array>
  /**
   * Returns the range of the page.
   * @throws Error if called before `updates` was read to its end.
   */
  bounds(): PageBounds
}

export interface ContractsPage {
  readonly activeAtOffset: number
  /** Chunks of a JSON list, as in `UpdatesPage.updates`. They can be read once. Iteration throws as `Elements` does. */
  readonly contracts: AsyncIterable<string>
  /**
   * Returns the token of the next page in base64; null after the last page.
   * @throws Error if called before `contracts` was read to its end.
   */
  nextPageToken(): string | null
}

/** A synchronizer to which the participant is connected, as in Canton's JSON Ledger API. */
export interface ConnectedSynchronizer {
  readonly synchronizerAlias: string
  readonly synchronizerId: string
  /** The permission that the participant has for the requested party: `PARTICIPANT_PERMISSION_...`. */
  readonly permission: string
}

/**
 * Batches of elements, read on demand; no batch is empty. A caller that stops early must abort the signal of its
 * request. Iteration throws `CantonError`, possibly after some elements, for example if updates were pruned meanwhile
 * or the token has expired.
 */
export type Elements = AsyncIterable<readonly Element[]>

/**
 * The reads of Canton's JSON Ledger API for one caller, whose token was checked already. The requests are already
 * decoded, and those of the older form (`older-form.ts`) already converted. A method rejects with the `CantonError` of
 * the first failed check, in Canton's order.
 */
export interface UpdateReads {
  /** Returns the offset of the last update, with the last record time of each synchronizer. */
  ledgerEnd(): Promise<OffsetCheckpoint>
  /** Returns the offset up to which updates were pruned; 0 if none were. */
  prunedUpTo(): Promise<number>
  /**
   * Returns the updates of a range, in the requested order. If the request has no end, future updates and checkpoints
   * follow until the signal aborts.
   */
  updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements>
  page(request: UpdatesPageRequest, signal: AbortSignal): Promise<UpdatesPage>
  update(request: UpdateRequest): Promise<Element>
  activeContracts(request: ActiveContractsRequest, signal: AbortSignal): Promise<Elements>
  contractsPage(request: ContractsPageRequest, signal: AbortSignal): Promise<ContractsPage>
  /**
   * Returns the synchronizers to which the participant is connected. If the request has a party, returns those on which
   * the participant hosts that party.
   */
  synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]>
}

/**
 * Serves the reads of Canton's JSON Ledger API. One implementation reads the embedded ledger, another one asks a
 * participant.
 */
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
   * @param requestId identifies the request in the log.
   * @throws CantonError for a token that is not accepted. The error is `unauthenticated`, `unknownUser`,
   * `permissionDenied` if the token is for another participant, `notRunning` if it cannot be checked now, or the
   * participant's own error.
   */
  open(bearer: string, requestId?: string): Promise<UpdateReads>
}
