import { LedgerUnavailable } from '../ledger.ts'

export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** The path with its query, which is appended to the API's base URL: `/v2/state/ledger-end`. */
  readonly path: string
  /** The bearer token; undefined if the request needs none. */
  readonly token: string | undefined
  /** The body, which is sent as JSON. */
  readonly body?: unknown
}

export interface ApiAnswer {
  readonly status: number
  /** The content type in lower case and without parameters. Empty if the response has no content type. */
  readonly contentType: string
  readonly text: string
}

export interface Frames extends Disposable {
  /**
   * Returns the text frames that arrived since the last call, in order. Waits until there is at least one.
   * Returns an empty list once the participant has closed the connection normally. While too much data is
   * buffered, the connection receives nothing until the next call of this method.
   * @throws LedgerUnavailable if the connection broke. All frames that arrived before are returned first.
   */
  read(signal: AbortSignal): Promise<readonly string[]>
  /** The time for which the connection has been open, in milliseconds. */
  readonly ageMs: number
}

/**
 * The JSON Ledger API of one participant. Both methods limit the duration of a request and the size of a
 * response. They reject with `LedgerUnavailable` if no complete response arrives, and with the signal's
 * reason if the signal aborts.
 */
export interface JsonApi extends AsyncDisposable {
  call(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>
  /**
   * Opens a websocket on the path, and sends the request as its first frame, in JSON. The websocket is closed when the
   * signal aborts.
   */
  open(path: string, token: string | undefined, request: unknown, signal: AbortSignal): Promise<Frames>
}

/** Thrown if a response exceeds the size limit. A request for fewer elements may succeed. */
export class TooLarge extends LedgerUnavailable {}
