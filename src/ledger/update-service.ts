import type { OffsetCheckpoint } from './update.ts'
import type {
  ActiveContractsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from './wire/requests.ts'

/** One element of a list or stream, in the JSON of Canton's JSON Ledger API. */
export interface Element {
  /** The offset of the update or of the checkpoint. For an active contract, the offset at which it was created. */
  readonly offset: number
  /** The JSON of the element: `{"update": ...}`, or an active contract. */
  readonly text: string
}

/** The range of offsets that a page covers. It is known only after the whole page was read. */
export interface PageBounds {
  readonly lowestPageOffsetExclusive: number
  readonly highestPageOffsetInclusive: number
  /**
   * The token of the next page in base64; null after the last page. An ascending request without an end has no last
   * page: its next page has the updates that come later.
   */
  readonly nextPageToken: string | null
}

export interface UpdatesPage {
  /**
   * Chunks of a JSON list. Each chunk has one or more elements with commas between them. The HTTP route adds
   * the brackets, and the commas between chunks. The chunks can be read only once. The iteration may throw
   * the same errors as the iteration of `Elements`.
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
  /**
   * Chunks of a JSON list, as in `UpdatesPage.updates`. The chunks can be read only once. The iteration may
   * throw the same errors as the iteration of `Elements`.
   */
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
 * Batches of elements. Each step of the iteration reads one batch, which is never empty. Code that stops the
 * iteration early must abort the signal that it passed with the request. The iteration may throw a
 * `CantonError` after it has yielded elements, for example because updates were pruned or the token has
 * expired meanwhile.
 */
export type Elements = AsyncIterable<readonly Element[]>

/**
 * The reads of Canton's JSON Ledger API for one caller, whose token `UpdateService.open` has checked.
 * Requests are already decoded, and converted from Canton's older syntax (`visibility/older-form.ts`). If a
 * request fails several checks, the method rejects with the `CantonError` of the check that Canton makes
 * first.
 */
export interface UpdateReads {
  /** Returns the offset of the last update, with the last record time of each synchronizer. */
  ledgerEnd(): Promise<OffsetCheckpoint>
  /** Returns the offset up to which updates were pruned; 0 if none were. */
  prunedUpTo(): Promise<number>
  /**
   * Returns the updates of a range, in the requested order. If the request has no end, the stream goes on
   * with future updates and checkpoints (`OffsetCheckpoint`) until the signal aborts.
   */
  updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements>
  page(request: UpdatesPageRequest, signal: AbortSignal): Promise<UpdatesPage>
  update(request: UpdateRequest): Promise<Element>
  activeContracts(request: ActiveContractsRequest, signal: AbortSignal): Promise<Elements>
  contractsPage(request: ContractsPageRequest, signal: AbortSignal): Promise<ContractsPage>
  /**
   * Returns the synchronizers to which the participant is connected. If the request has a party, returns only the
   * synchronizers on which the participant hosts that party.
   */
  synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]>
}

/**
 * The reads of Canton's JSON Ledger API. One implementation reads the embedded ledger, another one asks a participant.
 */
export interface UpdateService {
  /** The number of open streams that have no end. */
  readonly readers: number
  /**
   * Returns the response `GetLedgerApiVersionResponse` of Canton's JSON Ledger API.
   * @throws CantonError
   */
  version(): Promise<object>
  /**
   * Checks a token, and returns the reads for its caller. This is the first check of every request.
   *
   * @param bearer the token, without `Bearer`.
   * @param requestId identifies the request in the log.
   * @throws CantonError if the token is rejected:
   * - `unauthenticated` if it is invalid,
   * - `unknownUser` if the ledger does not know its user,
   * - `permissionDenied` if it is for another participant,
   * - `notRunning` if it cannot be checked now,
   * - or the error with which the participant itself rejects it.
   */
  open(bearer: string, requestId?: string): Promise<UpdateReads>
}
