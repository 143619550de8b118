import { LedgerUnavailable } from '../ledger.ts'

export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** The path and query, which are appended to the API's base URL: `/v2/state/ledger-end`. */
  readonly path: string
  /** Undefined if the participant checks no tokens. */
  readonly token: string | undefined
  readonly body?: unknown
}

export interface ApiAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** Thrown if a response exceeds the size limit. A request for fewer elements may succeed. */
export class TooLarge extends LedgerUnavailable {}

/** The JSON Ledger API of a participant. */
export interface JsonApi {
  /**
   * Limits the time and the size of a response. Rejects with `LedgerUnavailable` if no complete
   * response arrives.
   */
  call(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>
}
