import type { OffsetCheckpoint } from './update.ts'
import type { Party } from './value.ts'
import type {
  ActiveContractsRequest,
  CompletionsRequest,
  ContractsPageRequest,
  SynchronizersRequest,
  UpdateRequest,
  UpdatesPageRequest,
  UpdatesRequest,
} from './wire/requests.ts'

/**
 * One element of a list or stream as JSON text, such as `{"update": ...}` or an active contract.
 */
export interface Element {
  readonly offset: number
  readonly text: string
}

export interface PageBounds {
  readonly lowestPageOffsetExclusive: number
  readonly highestPageOffsetInclusive: number
  /**
   * The token of the next page in base64; null after the last page. An ascending request without an
   * end has no last page, because updates may still come.
   */
  readonly nextPageToken: string | null
}

export interface UpdatesPage {
  /**
   * Parts of a JSON list, readable once. Each part has elements with commas between them, without
   * brackets.
   */
  readonly updates: AsyncIterable<string>
  /** @throws Error if `updates` was not read to its end. */
  bounds(): PageBounds
}

export interface ContractsPage {
  readonly activeAtOffset: number
  readonly contracts: AsyncIterable<string>
  /** @throws Error if `contracts` was not read to its end. */
  nextPageToken(): string | null
}

export interface ConnectedSynchronizer {
  readonly synchronizerAlias: string
  readonly synchronizerId: string
  readonly permission: string
}

export interface DirectoryPage {
  /** 0 means the largest page. */
  readonly size: number
  /** Empty for the first page. */
  readonly token: string
}

/** A question about users, parties and packages. Without `userId`, it is about the caller. */
export type DirectoryQuestion =
  | { readonly kind: 'user' | 'rights'; readonly userId?: string }
  | { readonly kind: 'users'; readonly page: DirectoryPage }
  | { readonly kind: 'parties'; readonly prefix: string; readonly page: DirectoryPage }
  | { readonly kind: 'named-parties'; readonly parties: readonly Party[] }
  | { readonly kind: 'participant-id' | 'packages' }
  | { readonly kind: 'package-status'; readonly packageId: string }

/**
 * Non-empty batches of elements. A reader that stops early must abort the request's signal:
 * otherwise a stream that waits for an update keeps waiting. A `CantonError` may follow the first
 * batches, for example because the token has expired.
 */
export type Elements = AsyncIterable<readonly Element[]>

/**
 * The reads of Canton's JSON Ledger API for one caller. If several checks fail, a method rejects
 * with the `CantonError` of the check that Canton makes first.
 */
export interface UpdateReads {
  ledgerEnd(): Promise<OffsetCheckpoint>
  prunedUpTo(): Promise<number>
  /**
   * A request without an end continues with future updates and checkpoints until the signal aborts.
   */
  updates(request: UpdatesRequest, signal: AbortSignal): Promise<Elements>
  page(request: UpdatesPageRequest, signal: AbortSignal): Promise<UpdatesPage>
  update(request: UpdateRequest): Promise<Element>
  activeContracts(request: ActiveContractsRequest, signal: AbortSignal): Promise<Elements>
  contractsPage(request: ContractsPageRequest, signal: AbortSignal): Promise<ContractsPage>
  /**
   * If the request has a party, returns only the synchronizers on which the participant hosts that
   * party.
   */
  synchronizers(request: SynchronizersRequest): Promise<readonly ConnectedSynchronizer[]>
  /** Like `updates` without an end. */
  completions(request: CompletionsRequest, signal: AbortSignal): Promise<Elements>
  directory(question: DirectoryQuestion): Promise<object>
}

export interface UpdateService {
  readonly readers: number
  version(): Promise<object>
  /**
   * Checks the caller's token, before any other check of a request.
   * @param bearer the token, without `Bearer`.
   * @throws CantonError `unauthenticated` if the token is invalid, `unknownUser`,
   * `permissionDenied` if the token is for another participant, `notRunning` if it cannot be
   * checked now.
   */
  open(bearer: string): Promise<UpdateReads>
}
