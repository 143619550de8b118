import type { EventFormat, UpdateFormat } from './visibility/format.ts'

// The JSON Ledger API's reads of updates and state, behind which is the ledger of this process or a participant.

/** Whose rights a read has. */
export interface Reader {
  readonly userId: string
  /** The bearer token as it came; a participant judges by it and by nothing else. */
  readonly token: string
}

/** One element of a stream. */
export interface StreamElement {
  readonly kind: 'update' | 'offset-checkpoint'
  readonly offset: number
  /** `{"update":{...}}` in the words of the JSON Ledger API. */
  readonly json: string
}

export interface StreamRequest {
  readonly beginExclusive: number
  /** Undefined: without an end. */
  readonly endInclusive: number | undefined
  readonly format: UpdateFormat
  /** Only with an end. */
  readonly descending: boolean
}

export interface PageRequest {
  readonly beginOffsetExclusive: number | undefined
  readonly endOffsetInclusive: number | undefined
  readonly maxPageSize: number | undefined
  readonly format: UpdateFormat
  readonly descending: boolean
  /** Base64: the `nextPageToken` of the page before. */
  readonly pageToken: string | undefined
}

export interface UpdatesPage {
  readonly updates: readonly StreamElement[]
  readonly lowestPageOffsetExclusive: number
  readonly highestPageOffsetInclusive: number
  readonly nextPageToken: string | undefined
}

export type UpdateKey =
  | { readonly by: 'offset'; readonly offset: number }
  | { readonly by: 'update-id'; readonly updateId: string }
  | { readonly by: 'transaction-hash' /** Base64. */; readonly transactionHash: string }

export interface ContractsRequest {
  readonly activeAtOffset: number
  readonly format: EventFormat
  /** Base64: that of the element after which to go on. */
  readonly streamContinuationToken: string | undefined
}

/** `GetLedgerEndResponse`; the times are those of a participant from 3.6 on, ISO 8601. */
export interface LedgerEnd {
  readonly offset: number
  readonly synchronizerTimes?: readonly { readonly synchronizerId: string; readonly recordTime: string }[]
}

/** `GetLatestPrunedOffsetsResponse`: 0 where nothing was pruned. */
export interface PrunedOffsets {
  readonly participantPrunedUpToInclusive: number
  readonly allDivulgedContractsPrunedUpToInclusive: number
}

/**
 * Serves requests that hold in themselves: whose members have their types and ranges, and whose formats name filters.
 * What hangs on the ledger (its end, what was pruned, what it knows, the reader's rights) is judged here.
 *
 * Everything rejects with `LedgerRefusal` where the ledger says no, with `LedgerUnavailable` where it cannot answer, and
 * with the signal's reason. What is answered is whole: a stream that cannot be gone on with rejects and never just ends.
 */
export interface UpdateReads {
  end(reader: Reader, signal: AbortSignal): Promise<LedgerEnd>
  pruned(reader: Reader, signal: AbortSignal): Promise<PrunedOffsets>
  /**
   * Strictly in order, each offset once. Batches are never empty; the next is read when it is asked for. One with an
   * end has no checkpoints and is over after it; one without never is over.
   */
  stream(request: StreamRequest, reader: Reader, signal: AbortSignal): AsyncIterable<readonly StreamElement[]>
  page(request: PageRequest, reader: Reader, signal: AbortSignal): Promise<UpdatesPage>
  /** Undefined where there is none, or nothing of it for the reader. */
  find(
    key: UpdateKey,
    format: UpdateFormat,
    reader: Reader,
    signal: AbortSignal,
  ): Promise<StreamElement | undefined>
  /** Each `{"workflowId":...,"contractEntry":{...}}` in the words of the JSON Ledger API, in batches. */
  activeContracts(
    request: ContractsRequest,
    reader: Reader,
    signal: AbortSignal,
  ): AsyncIterable<readonly string[]>
  /** `GetLedgerApiVersionResponse` as JSON. */
  version(signal: AbortSignal): Promise<string>
}

/** `JsCantonError`. */
export interface CantonErrorJson {
  readonly code: string
  readonly cause: string
  readonly correlationId: string | null
  readonly traceId: string | null
  readonly context: Readonly<Record<string, string>>
  readonly resources: readonly (readonly [type: string, value: string])[]
  readonly errorCategory: number
  readonly grpcCodeValue: number | null
  readonly retryInfo: string | null
  readonly definiteAnswer: boolean | null
}

/** A ledger's no, in Canton's words. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal'
  /** Of HTTP, that belongs to the error (facts 5.2). */
  readonly status: number
  readonly error: CantonErrorJson

  constructor(status: number, error: CantonErrorJson) {
    super(`${error.code}: ${error.cause}`)
    this.status = status
    this.error = error
  }
}
