import { LedgerUnavailable } from '../ledger.ts'

export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** The path and query, which are appended to the API's base URL: `/v2/state/ledger-end`. */
  readonly path: string
  readonly token: string | undefined
  readonly body?: unknown
}

export interface ApiAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

export interface Frames extends Disposable {
  /**
   * Returns the text frames that arrived since the last call, or waits for one. An empty list means
   * that the participant has closed the connection normally.
   * @throws LedgerUnavailable if the connection broke. Frames that arrived before are returned
   * first.
   */
  read(signal: AbortSignal): Promise<readonly string[]>
  readonly ageMs: number
}

/**
 * The JSON Ledger API of a participant. Both methods limit the time and the size of a response.
 * They reject with `LedgerUnavailable` if no complete response arrives.
 */
export interface JsonApi extends AsyncDisposable {
  call(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>
  /**
   * Opens a websocket and sends the request as its first frame, in JSON. When the signal aborts,
   * the websocket is closed.
   */
  open(path: string, token: string | undefined, request: unknown, signal: AbortSignal): Promise<Frames>
}

/** Thrown if a response exceeds the size limit. A request for fewer elements may succeed. */
export class TooLarge extends LedgerUnavailable {}
